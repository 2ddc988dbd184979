import { readFile } from 'node:fs/promises';
import { isScalar, parseDocument } from 'yaml';
import { EXIT } from '@/lib/domain/refusal';
import { CliError } from './api-client';

/**
 * An object from a YAML file (so JSON too), `-` being stdin. Times stay texts, as YAML 1.2 has it.
 *
 * @throws CliError (usage) where the file is not there, is no YAML, or holds no object
 */
export async function readYamlFile(file: string): Promise<Record<string, unknown>> {
  const text = await readText(file);
  const document = parseDocument(text, { prettyErrors: true });
  const broken = document.errors[0];
  if (broken) throw usage(`${file}: ${broken.message}`);
  // A commit of digits alone, or such as 12e5, is a text all the same.
  const commit = document.getIn(['transform', 'commit'], true);
  if (isScalar(commit) && typeof commit.value === 'number' && commit.source !== undefined) {
    document.setIn(['transform', 'commit'], commit.source);
  }
  const value: unknown = document.toJS();
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw usage(`${file} holds no object`);
}

/**
 * A file's text, `-` being stdin.
 *
 * @throws CliError (usage) where it cannot be read
 */
export async function readText(file: string): Promise<string> {
  try {
    return file === '-' ? await readStdin() : await readFile(file, 'utf8');
  } catch (error) {
    throw usage(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** The file's `name`, and the rest, which is the body of the PUT. */
export async function readNamed(file: string): Promise<{ name: string; body: object }> {
  const { name, ...body } = await readYamlFile(file);
  if (typeof name === 'string' && name !== '') return { name, body };
  throw usage(`${file} has no name`);
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

export function usage(message: string): CliError {
  return new CliError(message, EXIT.usage);
}
