import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';

/** Label values are bounded: no caller texts, no ids. */
export interface MetricDefinition<Label extends string> {
  readonly name: `tidings_${string}`;
  readonly help: string;
  readonly labels?: readonly Label[];
}

/** Services of one process share a registry: the first one creates the metrics. */
function registered<M extends Metric>(registry: Registry, name: string, make: () => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make();
}

const settings = <Label extends string>(registry: Registry, definition: MetricDefinition<Label>) => ({
  name: definition.name,
  help: definition.help,
  labelNames: definition.labels ?? [],
  registers: [registry],
});

export const counterIn = <Label extends string>(
  registry: Registry,
  definition: MetricDefinition<Label>,
): Counter<Label> => registered(registry, definition.name, () => new Counter(settings(registry, definition)));

export const gaugeIn = <Label extends string>(registry: Registry, definition: MetricDefinition<Label>): Gauge<Label> =>
  registered(registry, definition.name, () => new Gauge(settings(registry, definition)));

export const histogramIn = <Label extends string>(
  registry: Registry,
  definition: MetricDefinition<Label>,
  buckets: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
): Histogram<Label> =>
  registered(
    registry,
    definition.name,
    () => new Histogram({ ...settings(registry, definition), buckets: [...buckets] }),
  );

export interface Reading<Label extends string> {
  readonly labels?: Readonly<Record<Label, string>>;
  readonly value: number;
}

export type Source<Label extends string> = () => readonly Reading<Label>[] | Promise<readonly Reading<Label>[]>;

/** A silent source has no value, and does not delay the others. */
const READ_TIMEOUT_MS = 2_000;

const sourcesOf = new WeakMap<Metric, Source<string>[]>();

export function readIn<Label extends string>(
  registry: Registry,
  type: 'gauge' | 'counter',
  definition: MetricDefinition<Label>,
  source: Source<Label>,
): void {
  const Type = type === 'gauge' ? Gauge : Counter;
  const metric = registered(registry, definition.name, (): Metric => {
    const sources: Source<string>[] = [];
    const made = new Type({
      ...settings<string>(registry, definition),
      async collect() {
        const readings = await Promise.all(sources.map(inTime));
        this.reset();
        for (const { labels = {}, value } of readings.flat()) this.inc(labels, value);
      },
    });
    sourcesOf.set(made, sources);
    return made;
  });
  sourcesOf.get(metric)!.push(source);
}

export function cached<Label extends string>(maxAgeMs: number, source: Source<Label>): Source<Label> {
  let readAt = -Infinity;
  let latest: Promise<readonly Reading<Label>[]> | undefined;
  return () => {
    if (latest && performance.now() - readAt < maxAgeMs) return latest;
    readAt = performance.now();
    const reading = Promise.resolve().then(source);
    latest = reading;
    reading.catch(() => {
      if (latest === reading) latest = undefined;
    });
    return reading;
  };
}

async function inTime(source: Source<string>): Promise<readonly Reading<string>[]> {
  const late = Promise.withResolvers<readonly Reading<string>[]>();
  const timer = setTimeout(() => late.resolve([]), READ_TIMEOUT_MS);
  try {
    return await Promise.race([source(), late.promise]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
