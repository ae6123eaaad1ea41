import { readFileSync } from 'node:fs';
import { setSourceMapsSupport, SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

const maps = new Map<string, SourceMap | undefined>();

function mapOf(url: string): SourceMap | undefined {
  if (!maps.has(url)) maps.set(url, readMap(`${fileURLToPath(url)}.map`));
  return maps.get(url);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
}

interface Frame extends NodeJS.CallSite {
  /** As V8 shows it in a stack. */
  toString(): string;
}

function inSource(frame: Frame): string {
  const text = frame.toString();
  const [url, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!url?.startsWith('file:') || line === null || column === null) return text;
  const entry = mapOf(url)?.findEntry(line - 1, column - 1);
  if (!entry || !('originalSource' in entry)) return text;
  const source = new URL(entry.originalSource, url);
  if (source.protocol !== 'file:') return text;
  return text.replace(
    `${url}:${line}:${column}`,
    `${fileURLToPath(source)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`,
  );
}

/** Reads the source map of a bundle when the first stack has a position in it. Node itself reads all maps at once, and keeps them. */
export function mapStacksOnDemand(): void {
  setSourceMapsSupport(false);
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${inSource(frame)}`)].join('\n');
}
