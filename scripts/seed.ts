import { connect } from '@/lib/db/client';
import { seedDemo } from '@/lib/demo/seed';

export interface SeedOptions {
  /** One line for a person, at the beginning of each chapter. */
  readonly print?: (line: string) => void;
  /** Gives up between two chapters; the next start goes on from there. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes the demo where it is not there yet; a start that finds it reads one row. */
export async function seed(url: string, options: SeedOptions = {}): Promise<void> {
  const { print = console.log, signal } = options;
  const db = connect(url, { role: 'tool' });
  try {
    await seedDemo(db, (line) => {
      signal?.throwIfAborted();
      print(line);
    });
  } finally {
    await db.close();
  }
}
