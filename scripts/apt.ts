import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';

/** Installs Debian packages where this is Debian and we may; elsewhere it does nothing. */
export function aptInstall(packages: readonly string[]): void {
  if (process.getuid?.() !== 0 || !isDebian()) return;
  console.log(`Installing ${packages.join(', ')} (apt-get) …`);
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
}

function isDebian(): boolean {
  return (
    fs.existsSync('/usr/bin/apt-get') &&
    fs.existsSync('/etc/os-release') &&
    /^ID="?debian"?$/m.test(fs.readFileSync('/etc/os-release', 'utf8'))
  );
}

function run(command: string, args: readonly string[]): void {
  spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}
