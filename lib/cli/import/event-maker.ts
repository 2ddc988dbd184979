import { BadLine } from './bad-line';
import { Batcher, MOST_BYTES } from './batch';
import { eventBuilder } from './event-builder';
import type { FileRecord } from './file-records';
import type { InputFile } from './inputs';
import type { Mapping } from './mapping';
import type { NamedSource } from './source-shape';
import { isWholeEvent, wholeEventReader } from './whole-event';

export interface EventMaker {
  /** JSON text of the record's event. @throws BadLine */
  readonly make: (record: FileRecord) => string;
  /** To be called when the file is through: says which of its columns nobody took. */
  readonly finish: () => void;
}

interface Settings {
  readonly source: NamedSource;
  readonly mapping: Mapping;
  readonly mapped: boolean;
}

/**
 * Makes the events of one file. Where no mapping chooses columns, those of the file that the source
 * does not have are named once, so that nothing is left out unsaid.
 *
 * @throws MappingError where mapping, source and file do not fit
 */
export function eventMaker(
  { source, mapping, mapped }: Settings,
  file: InputFile,
  columns: readonly string[] | null,
  say: (line: string) => void,
): EventMaker {
  const builder = eventBuilder(mapping, source, { name: file.name, format: file.format, columns });
  const whole = !mapped && file.format === 'jsonl' ? wholeEventReader(source) : null;
  const chooses = Object.keys(mapping.columns).length > 0;
  const unused = new Set<string>();
  const note = (names: readonly string[]) => {
    if (chooses) return;
    for (const name of names) if (!builder.uses(name)) unused.add(name);
  };
  note(columns ?? []);

  const make = (record: FileRecord): string => {
    const values = record.values();
    if (whole && values.object !== undefined && isWholeEvent(values.object, source)) {
      return fitting(whole(values.object).json);
    }
    if (columns === null) note(values.names);
    const { position } = record;
    return fitting(builder.build({ file: file.name, position, get: values.get }).json);
  };
  const finish = () => {
    if (unused.size === 0) return;
    const names = [...unused].map((name) => JSON.stringify(name)).join(', ');
    say(`${file.path}: left out, since the source has no such columns: ${names}`);
  };
  return { make, finish };
}

function fitting(json: string): string {
  if (Batcher.fits(json)) return json;
  throw new BadLine('TOO_LARGE', `its event is larger than ${MOST_BYTES} bytes`);
}
