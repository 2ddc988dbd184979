import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { childEnv } from '@/lib/env';
import { root } from './children';

const stamp = path.join(root, '.next', 'built-from');

export interface BuildOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called where it has to build. */
  readonly onStale?: () => void;
}

/**
 * Builds the console where its sources are not those that the last build was made from.
 *
 * @throws Error with what the build printed where it fails
 */
export async function ensureBuild({ signal, onStale }: BuildOptions = {}): Promise<void> {
  const sources = digestOfSources();
  if (isBuiltFrom(sources)) return;
  onStale?.();
  // A build that is interrupted must not pass for the one before.
  fs.rmSync(stamp, { force: true });
  await nextBuild(signal);
  fs.writeFileSync(stamp, sources);
}

function isBuiltFrom(sources: string): boolean {
  if (!fs.existsSync(stamp) || !fs.existsSync(path.join(root, '.next', 'BUILD_ID'))) return false;
  return fs.readFileSync(stamp, 'utf8') === sources;
}

/** By content: a clone, a checkout and a copy all change the times of files that are the same. */
function digestOfSources(): string {
  const hash = createHash('sha256');
  for (const file of sourceFiles()) {
    const content = fs.readFileSync(path.join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function sourceFiles(): string[] {
  const folders = ['app', 'components', 'lib', 'public'];
  const inside = folders
    .filter((folder) => fs.existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name))),
    )
    .filter((file) => !/(\.test\.tsx?$|node_modules|^lib[\\/]testing)/.test(file));
  const beside = fs
    .readdirSync(root)
    .filter((file) =>
      /^(next\.config\.|postcss\.config\.|(proxy|instrumentation)\.ts$|package(-lock)?\.json$|tsconfig\.json$)/.test(
        file,
      ),
    );
  return [...inside, ...beside].sort();
}

function nextBuild(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = path.join(root, 'node_modules', 'next', 'dist', 'bin', 'next');
    const child = spawn(process.execPath, [next, 'build'], {
      cwd: root,
      env: childEnv({ NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal ? { signal } : {}),
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`next build failed (${code}):\n${said.trim()}`));
    });
  });
}
