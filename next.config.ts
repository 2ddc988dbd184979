import type { NextConfig } from 'next';

const config: NextConfig = {
  poweredByHeader: false,
  // Files of the build do not pass the proxy that gives pages their headers.
  headers: async () => [
    {
      source: '/_next/static/:path*',
      headers: [
        { key: 'x-content-type-options', value: 'nosniff' },
        { key: 'cross-origin-resource-policy', value: 'same-origin' },
      ],
    },
  ],
  // Native parts, WebAssembly and worker files that a bundle would lose.
  serverExternalPackages: ['libpg-query', 'pgsql-parser', 'postgres', 'graphile-worker', 'pino'],
  // `*.dev.tsx` are pages of development only (/specimen): a production build does not know them.
  pageExtensions: process.env.NODE_ENV === 'production' ? ['tsx', 'ts'] : ['dev.tsx', 'tsx', 'ts'],
};

export default config;
