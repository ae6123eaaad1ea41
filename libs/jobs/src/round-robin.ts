/** The jobs that wait for each other: an application's. */
export interface Queue {
  readonly account: string;
  /** "" = exports of several applications of the account. */
  readonly application: string;
}

/** Whose turn it is among queues, as one worker sees it. */
export interface RoundRobin {
  /**
   * The queues in the order of their turns: accounts take turns, and within an account its applications. One that has nothing running goes before
   * one that has. A queue that is new stands behind all others of its account, one that is not given any more is forgotten: so a queue waits for
   * at most one turn of each other one.
   */
  order(queues: readonly Queue[]): Queue[];
  /** A turn begins. @returns what ends it */
  begin(queue: Queue): () => void;
}

/** The place of an account or a queue among others. */
interface Place {
  /** Grows with each turn that was begun. */
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
