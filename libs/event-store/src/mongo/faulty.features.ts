import { type Collection, type CollectionOptions, type Db, type Document, MongoNetworkError } from 'mongodb';

export type Interference = (command: Document, send: () => Promise<Document>) => Promise<Document>;

export interface FaultyDb {
  readonly db: Db;
  interfere(with_: Interference): void;
  alive(send: () => Promise<Document>): Promise<Document>;
  die(): void;
  readonly gone: Promise<void>;
}

export const lost = (): MongoNetworkError => new MongoNetworkError('connection lost');

export function faulty(db: Db): FaultyDb {
  let interference: Interference = (_, send) => send();
  let dead = false;
  let running = 0;
  let allAnswered!: () => void;
  const gone = new Promise<void>((resolve) => (allAnswered = resolve));
  const sent = async (work: () => Promise<Document>): Promise<Document> => {
    running++;
    try {
      return await work();
    } finally {
      if (--running === 0 && dead) allAnswered();
    }
  };
  const alive = <T>(work: () => Promise<T>): Promise<T> => (dead ? Promise.reject(lost()) : work());
  const command = (document: Document, options: Document): Promise<Document> =>
    alive(() => sent(() => interference(document, () => db.command(document, options))));

  const collection = (name: string, options?: CollectionOptions): Collection =>
    new Proxy(db.collection(name, options), {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]) => {
          if (dead && property !== 'watch') return failing();
          return (value as (...all: unknown[]) => unknown).apply(target, parameters);
        };
      },
    });

  return {
    db: new Proxy(db, {
      get(target, property) {
        if (property === 'command') return command;
        if (property === 'collection') return collection;
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    }),
    interfere: (with_) => void (interference = with_),
    alive,
    die: () => {
      dead = true;
      if (running === 0) allAnswered();
    },
    gone,
  };
}

function failing(): unknown {
  const rejected = Promise.reject(lost());
  rejected.catch(() => undefined);
  const cursor = Object.assign(rejected, {
    sort: () => cursor,
    toArray: () => rejected,
    hasNext: () => rejected,
    closed: true,
  });
  return cursor;
}
