import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FakeLog, type FakeLogOptions } from '@/lib/cli/import/fake-log';
import { findInputs } from '@/lib/cli/import/inputs';
import { parseMapping } from '@/lib/cli/import/mapping';
import { type ImportOptions, runImport } from '@/lib/cli/import/run-import';
import { namedSourceSchema } from '@/lib/cli/import/source-shape';
import { ApiClient } from '@/lib/cli/interlock/api-client';

/** For tests: a folder of files, and imports of it into a log in memory. */

const source = {
  name: 'lines',
  columns: [
    { name: 'id', type: 'text', nullable: false },
    { name: 'amount', type: 'numeric(12,2)', nullable: false },
    { name: 'note', type: 'text', nullable: true },
  ],
  key: ['id'],
};
const patience = { pauses: [0, 0, 0], forServer: true };

interface Options extends Partial<ImportOptions> {
  map?: string;
  paths?: string[];
}

export class ImportFixture {
  private constructor(
    readonly folder: string,
    readonly log: FakeLog,
  ) {}

  static async start(before?: FakeLogOptions['before']): Promise<ImportFixture> {
    const folder = await mkdtemp(path.join(tmpdir(), 'import-'));
    return new ImportFixture(folder, await FakeLog.start(before ? { source, before } : { source }));
  }

  async stop(): Promise<void> {
    await this.log.stop();
    await rm(this.folder, { recursive: true });
  }

  async put(name: string, content: string | Buffer): Promise<void> {
    await writeFile(path.join(this.folder, name), content);
  }

  /** In batches of three events, unless said otherwise. */
  async run({ map = '', paths = ['.'], ...options }: Options = {}) {
    const said: string[] = [];
    const mapping = parseMapping(map, 'map.yaml');
    const { files } = await findInputs(
      paths.map((each) => path.join(this.folder, each)),
      mapping.format,
    );
    const summary = await runImport(
      new ApiClient({ url: this.log.url, token: 'ilk_test' }),
      {
        source: namedSourceSchema.parse(source),
        files,
        mapping,
        mapped: map !== '',
        batchSize: 3,
        strict: false,
        restart: false,
        rejects: undefined,
        memory: path.join(this.folder, '.memory'),
        patience,
        ...options,
      },
      { say: (line) => said.push(line.replaceAll(`${this.folder}/`, '')), progress: () => {} },
    );
    return { summary, said };
  }
}

export const heading = 'id,amount,note\n';

/** Lines k<from> to k<to>, the end not included. */
export const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `k${from + i},${from + i}.50,x\n`).join('');
