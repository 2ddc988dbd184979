import path from 'node:path';
import { type ApiClient, CliError, type Patience } from '@/lib/cli/interlock/api-client';
import { EXIT } from '@/lib/domain/refusal';
import { BadLine } from './bad-line';
import { BadLines } from './bad-lines';
import { type Batch, Batcher } from './batch';
import { type EventMaker, eventMaker } from './event-maker';
import { type FileRecord, openRecords } from './file-records';
import { UnreadableInput } from './frames';
import { type InputFile, readUnpacked } from './inputs';
import { type Mapping, MappingError } from './mapping';
import { type FileProgress, ResumeState } from './resume';
import { EventSender, type Place, type PlacedEvent } from './send-batch';
import type { NamedSource } from './source-shape';

export interface ImportOptions {
  readonly source: NamedSource;
  readonly files: readonly InputFile[];
  readonly mapping: Mapping;
  /** Without a mapping file, a JSON Lines record may be an event itself. */
  readonly mapped: boolean;
  /** Events in one call. */
  readonly batchSize: number;
  /** Stop at the first bad line. */
  readonly strict: boolean;
  /** Send again also what is known to be in the log. */
  readonly restart: boolean;
  /** File for the bad lines. */
  readonly rejects: string | undefined;
  /** Folder of what is remembered between runs. */
  readonly memory: string;
  /** How long a server that is busy or away is waited for; long unless given. */
  readonly patience?: Patience;
}

export interface ImportSummary {
  files: number;
  /** Files of which nothing, or not all, could be read. */
  unreadable: number;
  /** Records read, bad ones too. */
  lines: number;
  /** Records that an earlier run had brought in; they were read, not sent. */
  skipped: number;
  accepted: number;
  duplicates: number;
  stale: number;
  bad: number;
}

/** What a run tells while it goes on. */
export interface ImportReport {
  /** A line for people, above the bar. */
  readonly say: (line: string) => void;
  readonly progress: (progress: { bytes: number; lines: number; bad: number }) => void;
}

/** The API's refusals of lines, after which it is plain that more is wrong than a line. */
const MOST_REFUSALS = 1_000;

class Stopped extends Error {}

/**
 * Reads files and brings their records into a source's log, in bounded memory. Every line becomes
 * an event, is reported bad, or stops the run; none is dropped in silence. What was acknowledged
 * before is not sent again, and sending it again would be harmless.
 */
export async function runImport(
  api: ApiClient,
  options: ImportOptions,
  report: ImportReport,
): Promise<ImportSummary> {
  const run = new ImportRun(api, options, report);
  return run.all();
}

class ImportRun {
  readonly #options: ImportOptions;
  readonly #report: ImportReport;
  readonly #api: ApiClient;
  readonly #sender: EventSender;
  readonly #batcher: Batcher;
  readonly #bad: BadLines;
  readonly #refused = new Map<string, Set<number>>();
  readonly #summary: ImportSummary;
  #resume: ResumeState | null = null;
  #inFlight: Promise<void> = Promise.resolve();
  #bytes = 0;
  #refusals = 0;

  constructor(api: ApiClient, options: ImportOptions, report: ImportReport) {
    this.#api = api;
    this.#options = options;
    this.#report = report;
    this.#sender = new EventSender(api, options.source.name, options.patience);
    this.#batcher = new Batcher(options.batchSize);
    this.#bad = new BadLines(report.say, options.rejects);
    this.#summary = {
      files: options.files.length,
      unreadable: 0,
      lines: 0,
      skipped: 0,
      accepted: 0,
      duplicates: 0,
      stale: 0,
      bad: 0,
    };
  }

  async all(): Promise<ImportSummary> {
    const known = await this.#remember();
    try {
      for (const file of this.#options.files) await this.#file(file, known.get(file.path) ?? null);
      await this.#dispatch(this.#batcher.take());
      await this.#inFlight;
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    } finally {
      await this.#inFlight.catch(() => {});
      await this.#resume?.save(Date.now(), true);
      await this.#bad.close();
    }
    return { ...this.#summary, bad: this.#bad.count };
  }

  /** How far each file is in the log by what an earlier run noted, as far as that still holds. */
  async #remember(): Promise<Map<string, FileProgress>> {
    const { source, mapping, files, memory, restart } = this.#options;
    const identity = { url: this.#api.url, source: JSON.parse(JSON.stringify(source)), mapping };
    this.#resume = await ResumeState.load(memory, source.name, identity);
    const known = new Map<string, FileProgress>();
    if (!restart) {
      for (const { path: name } of files) {
        const progress = await this.#resume.progressOf(path.resolve(name));
        if (progress) known.set(name, progress);
      }
    }
    const trusted = [...known.keys()].map((name) => path.resolve(name));
    if (await this.#resume.isKnownTo(this.#api, source.name, trusted)) return known;
    this.#report.say('the log is not the one of the last import; everything is sent again');
    this.#resume.forget(trusted);
    return new Map();
  }

  async #file(file: InputFile, progress: FileProgress | null): Promise<void> {
    try {
      await this.#records(file, progress);
    } catch (error) {
      if (!(error instanceof UnreadableInput || error instanceof MappingError)) throw error;
      this.#summary.unreadable += 1;
      for (const line of error.message.split('\n')) this.#report.say(`${file.path}: ${line}`);
      if (this.#options.strict) await this.#stop();
    }
  }

  async #records(file: InputFile, progress: FileProgress | null): Promise<void> {
    const { mapping } = this.#options;
    const bytes = readUnpacked(file.path, (read) => {
      this.#bytes += read;
    });
    const { columns, groups } = await openRecords(file.format, mapping, bytes);
    if (file.format === 'csv' && columns === null) return;
    const toEvent = eventMaker(this.#options, file, columns, this.#report.say);
    const refused = new Set(progress?.refused);
    this.#refused.set(file.path, refused);
    const before = progress?.records ?? 0;
    let records = 0;
    for await (const { records: group, mark } of groups) {
      for (const record of group) {
        const skip = record.position <= before && !refused.has(record.position);
        await this.#record(file, record, toEvent, skip);
      }
      records += group.length;
      if (records >= before) this.#batcher.reach(file.path, { records, mark });
      this.#tell();
    }
    toEvent.finish();
  }

  async #record(
    file: InputFile,
    record: FileRecord,
    { make }: EventMaker,
    skip: boolean,
  ): Promise<void> {
    const place: Place = { path: file.path, line: record.line, position: record.position };
    this.#summary.lines += 1;
    let json: string;
    try {
      json = make(record);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      const { code, message } = error;
      await this.#bad.report({ place, code, reason: message, raw: record.raw });
      if (this.#options.strict) await this.#stop();
      return;
    }
    if (skip) {
      this.#summary.skipped += 1;
      return;
    }
    const full = this.#batcher.add({ place, json, raw: record.raw });
    if (full) await this.#dispatch(full);
  }

  /** Brings in what was read before the line that stops the run. */
  async #stop(): Promise<never> {
    await this.#dispatch(this.#batcher.take());
    await this.#inFlight;
    throw new Stopped();
  }

  /** One batch is under way while the next is read. */
  async #dispatch(batch: Batch): Promise<void> {
    await this.#inFlight;
    this.#inFlight = this.#send(batch);
    // Its failure is met by whoever waits for it next.
    this.#inFlight.catch(() => {});
  }

  async #send({ events, reached }: Batch): Promise<void> {
    const sent = await this.#sender.send(events);
    this.#summary.accepted += sent.accepted;
    this.#summary.duplicates += sent.duplicates;
    this.#summary.stale += sent.stale;
    const refused = new Set<PlacedEvent>();
    for (const { place } of events) this.#refused.get(place.path)?.delete(place.position);
    for (const { event, code, reason } of sent.refused) {
      refused.add(event);
      this.#refused.get(event.place.path)?.add(event.place.position);
      await this.#bad.report({ place: event.place, code, reason, raw: event.raw });
    }
    this.#note(events, refused, reached);
    await this.#resume?.save(Date.now());
    this.#refusals += sent.refused.length;
    if (this.#refusals > 0 && this.#options.strict) throw new Stopped();
    if (this.#refusals > MOST_REFUSALS) {
      throw new CliError(
        `the API refused more than ${MOST_REFUSALS} lines; if the files or the mapping changed since they were imported, the mapping must give a higher revision`,
        EXIT.failure,
      );
    }
  }

  #note(
    events: readonly PlacedEvent[],
    refused: ReadonlySet<PlacedEvent>,
    reached: Batch['reached'],
  ) {
    const probes = new Map<string, string>();
    for (const event of events) {
      const at = reached.get(event.place.path);
      if (at && event.place.position <= at.records && !refused.has(event)) {
        probes.set(event.place.path, event.json);
      }
    }
    for (const [file, at] of reached) {
      const standing = [...(this.#refused.get(file) ?? [])].filter((each) => each <= at.records);
      this.#resume?.advance(path.resolve(file), at, probes.get(file) ?? null, standing);
    }
  }

  #tell(): void {
    this.#report.progress({ bytes: this.#bytes, lines: this.#summary.lines, bad: this.#bad.count });
  }
}
