import type { DeviceColumns } from '@tidings/messaging';

/** Texts in the order of the tags, by device. */
export function columnsOf(platform: number, texts: readonly (readonly string[])[]): DeviceColumns {
  const values = texts.flat().map((text) => Buffer.from(text));
  let end = 0;
  return {
    chunk: 0,
    platform,
    positions: Uint16Array.from(texts, (_, i) => i),
    checks: new Uint8Array(texts.length * 3).fill(7),
    tokens: new Uint8Array(0),
    tokenEnds: new Uint32Array(texts.length),
    values: Buffer.concat(values),
    valueEnds: Uint32Array.from(values, (value) => (end += value.length)),
    tags: texts[0]!.length,
    badges: new Int32Array(0),
  };
}

/** Microseconds, over about `ms`. */
export function microsPerDevice(operation: (device: number) => unknown, devices: number, ms: number): number {
  const before = process.cpuUsage();
  const until = performance.now() + ms;
  let n = 0;
  while (performance.now() < until) for (let i = 0; i < devices; i++, n++) operation(i);
  const used = process.cpuUsage(before);
  return (used.user + used.system) / n;
}
