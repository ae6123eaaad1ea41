import { hash } from 'node:crypto';

const weight = (key: string, replica: string): string => hash('sha256', `${key}\n${replica}`);

export function rendezvous<Replica extends { readonly name: string }>(
  key: string,
  replicas: readonly Replica[],
): Replica[] {
  const weighed = replicas.map((replica) => ({ replica, weight: weight(key, replica.name) }));
  return weighed.sort((a, b) => (a.weight < b.weight ? 1 : -1)).map(({ replica }) => replica);
}
