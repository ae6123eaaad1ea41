import type { Registry } from 'prom-client';

/** The values of a metric, or those of one series of a histogram (`<name>_count`), by the values of their labels. */
export async function measured(registry: Registry, name: string, series?: string): Promise<Record<string, number>> {
  const { values } = await registry.getSingleMetric(name)!.get();
  const ofSeries = values.filter((value) => (value as { metricName?: string }).metricName === series);
  return Object.fromEntries(ofSeries.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}
