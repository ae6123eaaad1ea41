import type { Registry } from 'prom-client';

/** By label values; a histogram has a series such as `<name>_count`. */
export async function measured(registry: Registry, name: string, series?: string): Promise<Record<string, number>> {
  const { values } = await registry.getSingleMetric(name)!.get();
  const ofSeries = values.filter((value) => (value as { metricName?: string }).metricName === series);
  return Object.fromEntries(ofSeries.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}
