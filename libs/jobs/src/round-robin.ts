export interface Queue {
  readonly account: string;
  readonly application: string;
}

export interface RoundRobin {
  /** Accounts alternate, then their applications; a queue waits for at most one turn of each other one. */
  order(queues: readonly Queue[]): Queue[];
  begin(queue: Queue): () => void;
}

interface Place {
  last: number;
  running: number;
}

const applicationOf = ({ account, application }: Queue): string => `${account}/${application}`;

const compare = (one: Place, other: Place): number =>
  Math.sign(one.running - other.running) || Math.sign(one.last - other.last);

export function roundRobin(): RoundRobin {
  const accounts = new Map<string, Place>();
  const applications = new Map<string, Place>();
  let turn = 0;

  const placeIn = (places: Map<string, Place>, key: string): Place => {
    const known = places.get(key);
    if (known) return known;
    const place = { last: ++turn, running: 0 };
    places.set(key, place);
    return place;
  };
  const forget = (places: Map<string, Place>, kept: ReadonlySet<string>): void => {
    for (const [key, { running }] of places) if (running === 0 && !kept.has(key)) places.delete(key);
  };
  const placesOf = (queue: Queue): [Place, Place] => [
    placeIn(accounts, queue.account),
    placeIn(applications, applicationOf(queue)),
  ];
  return {
    order(queues) {
      forget(accounts, new Set(queues.map(({ account }) => account)));
      forget(applications, new Set(queues.map(applicationOf)));
      return queues
        .map((queue) => ({ queue, places: placesOf(queue) }))
        .sort((a, b) => compare(a.places[0], b.places[0]) || compare(a.places[1], b.places[1]))
        .map(({ queue }) => queue);
    },
    begin(queue) {
      const places = placesOf(queue);
      turn++;
      for (const place of places) {
        place.last = turn;
        place.running++;
      }
      return () => {
        for (const place of places) place.running--;
      };
    },
  };
}
