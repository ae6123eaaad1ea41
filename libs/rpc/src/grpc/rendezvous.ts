import { hash } from 'node:crypto';

/** The weight of a replica for a key: the same in every process. */
const weight = (key: string, replica: string): string => hash('sha256', `${key}\n${replica}`);

/**
 * The replicas in the order of their weights for a key: the same for everyone who knows the same replicas, and when one comes or goes only its own
 * share of the keys moves.
 */
export function rendezvous<Replica extends { readonly name: string }>(
  key: string,
  replicas: readonly Replica[],
): Replica[] {
  const weighed = replicas.map((replica) => ({ replica, weight: weight(key, replica.name) }));
  return weighed.sort((a, b) => (a.weight < b.weight ? 1 : -1)).map(({ replica }) => replica);
}
