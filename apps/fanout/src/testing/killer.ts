import type { Broker } from '@tidings/streaming';
import type { Db } from 'mongodb';

export class Killer {
  dead = false;
  #remaining: number;
  readonly #appliesFatalWrite: boolean;

  /** @param appliesFatalWrite the fatal write is executed, only its answer is lost */
  constructor(fatal: number, appliesFatalWrite: boolean) {
    this.#remaining = fatal;
    this.#appliesFatalWrite = appliesFatalWrite;
  }

  wrap<T extends object>(target: T, writes: ReadonlySet<string>, wrapResult?: (result: object) => object): T {
    return new Proxy(target, {
      get: (of, name) => {
        const member = Reflect.get(of, name) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(member, of, args) as unknown;
          if (writes.has(String(name))) return this.#write(call as () => Promise<unknown>);
          if (this.dead) throw new Error('killed');
          const result = call();
          return wrapResult && typeof result === 'object' && result !== null ? wrapResult(result) : result;
        };
      },
    });
  }

  db(db: Db): Db {
    const writes = new Set(['updateOne', 'bulkWrite', 'insertMany', 'insertOne', 'deleteMany', 'deleteOne']);
    return this.wrap(db, new Set(['command']), (result) => ('find' in result ? this.wrap(result, writes) : result));
  }

  broker(broker: Broker): Broker {
    const wrapped = this.wrap(broker, new Set(['publish']));
    return {
      addTopic: wrapped.addTopic,
      lag: wrapped.lag,
      ends: wrapped.ends,
      groups: wrapped.groups,
      seek: wrapped.seek,
      forget: wrapped.forget,
      close: wrapped.close,
      publish: wrapped.publish,
      subscribe: (options) =>
        broker.subscribe({
          ...options,
          // Records handled by a dead process are handled again.
          handler: async (batch) => {
            if (this.dead) return 0;
            const done = await options.handler(batch).catch(() => 0);
            return this.dead ? 0 : done;
          },
        }),
    };
  }

  async #write(call: () => Promise<unknown>): Promise<unknown> {
    if (this.dead) throw new Error('killed');
    if (--this.#remaining > 0) return call();
    this.dead = true;
    if (this.#appliesFatalWrite) await call();
    throw new Error('killed');
  }
}
