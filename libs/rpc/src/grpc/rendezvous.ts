import { hash } from 'node:crypto';

/** How much a replica wants a key: the same wherever it is asked. */
const weight = (key: string, replica: string): string => hash('sha256', `${key}\n${replica}`);

/**
 * The replicas in the order in which a key belongs to them: everybody who knows the same replicas gets the same order, and when one comes
 * or goes only its own share of the keys moves.
 */
export function rendezvous<Replica extends { readonly name: string }>(
  key: string,
  replicas: readonly Replica[],
): Replica[] {
  const weighed = replicas.map((replica) => ({ replica, weight: weight(key, replica.name) }));
  return weighed.sort((a, b) => (a.weight < b.weight ? 1 : -1)).map(({ replica }) => replica);
}
