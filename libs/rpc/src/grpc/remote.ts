import type { ServiceError } from '@grpc/grpc-js';
import { Fault } from '@tidings/kernel';
import type { Call, MethodDefinition, ServiceDefinition } from '../binding.ts';
import { observedCall } from './calls.ts';
import { MAX_MESSAGE_BYTES } from './channel-options.ts';
import { wireMethod } from './codecs.ts';
import type { Replica, WireMethod } from './rpc-replica.ts';
import type { Replicas } from './replicas.ts';
import { faultOfFailure, faultOfStatus, isConnectionLost, isNeverTaken } from './status.ts';

const DEADLINE_MS = 10_000;
const BACK_OFF_MS = 50;
const MAX_BACK_OFF_MS = 1_000;

type RequestOf<Service, Method extends keyof Service> = Service[Method] extends (request: infer Request) => unknown
  ? Request
  : never;

type PerMethod<Service, Answer> = {
  readonly [Method in keyof Service]?: (request: RequestOf<Service, Method>) => Answer;
};

export interface RemoteOptions<Service> {
  /** Includes retries. @default 10000 */
  readonly deadlineMs?: number;
  readonly keyOf?: PerMethod<Service, string | undefined>;
  readonly isRepeatable?: PerMethod<Service, boolean>;
}

export type Targets = Pick<Replicas, 'candidates' | 'failed' | 'meter'>;

/** A missing answer is a Fault `unavailable`, whose `effect` tells if nothing was sent (README). */
export function remote<Service extends object>(
  definition: ServiceDefinition,
  targets: Targets,
  options: RemoteOptions<Service> = {},
): Service {
  const calls = Object.entries(definition.methods).map(([name, method]): [string, Call] => {
    const fullName = `${definition.fullName}.${method.name}`;
    if (method.requestStream) throw Fault.bug(`${fullName}: request streams are not supported`);
    const wire = wireMethod(definition, method);
    const rules = rulesOf(method, options as RemoteOptions<Record<string, Call>>, name);
    const unary: Call = (request) =>
      observedCall(targets.meter, wire.path, async () => new Attempts(targets, rules, fullName, request).unary(wire));
    const stream: Call = (request) => new Attempts(targets, rules, fullName, request).stream(wire);
    return [name, method.responseStream ? stream : unary];
  });
  return Object.fromEntries(calls) as Service;
}

export async function everyReplica<Service extends object>(
  definition: ServiceDefinition,
  replicas: Replicas,
  options: Pick<RemoteOptions<Service>, 'deadlineMs'> = {},
): Promise<readonly { readonly replica: string; readonly service: Service }[]> {
  await replicas.refresh();
  return replicas.all.map((replica) => {
    const targets: Targets = {
      candidates: () => [replica],
      failed: (pauseMs) => replicas.failed(pauseMs),
      meter: replicas.meter,
    };
    return { replica: replica.name, service: remote<Service>(definition, targets, options) };
  });
}

interface Rules {
  readonly deadlineMs: number;
  readonly keyOf: (request: unknown) => string | undefined;
  readonly isRepeatable: (request: unknown) => boolean;
}

function rulesOf(
  { options: { idempotencyLevel } }: MethodDefinition,
  { deadlineMs = DEADLINE_MS, keyOf, isRepeatable }: RemoteOptions<Record<string, Call>>,
  name: string,
): Rules {
  return {
    deadlineMs,
    keyOf: keyOf?.[name] ?? (() => undefined),
    isRepeatable: idempotencyLevel === undefined ? (isRepeatable?.[name] ?? (() => false)) : () => true,
  };
}

class Attempts {
  readonly #targets: Targets;
  readonly #rules: Rules;
  readonly #method: string;
  readonly #request: unknown;
  /** By `performance.now()`: the time of day may be set back. */
  readonly #deadline: number;

  constructor(targets: Targets, rules: Rules, method: string, request: unknown) {
    this.#targets = targets;
    this.#rules = rules;
    this.#method = method;
    this.#request = request;
    this.#deadline = performance.now() + rules.deadlineMs;
  }

  unary(wire: WireMethod): Promise<unknown> {
    const bytes = this.#encoded(wire);
    return this.#make((replica) => replica.unary(wire, bytes, this.#deadline));
  }

  /** Retried only before it is connected: read parts cannot be taken back. */
  async *stream(wire: WireMethod): AsyncIterable<unknown> {
    const bytes = this.#encoded(wire);
    const replies = await this.#make((replica) => replica.stream(wire, bytes, this.#deadline));
    try {
      yield* replies;
    } catch (error) {
      throw this.#faultOf(error, 'under way');
    }
  }

  #encoded(wire: WireMethod): Buffer {
    let bytes: Buffer;
    try {
      bytes = wire.requestSerialize(this.#request);
    } catch (error) {
      throw Fault.bug(`${this.#method}: the request cannot be sent`, error);
    }
    if (bytes.length > MAX_MESSAGE_BYTES) throw Fault.tooLarge('Request is too large');
    return bytes;
  }

  async #make<Answer>(attempt: (replica: Replica) => Promise<Answer>): Promise<Answer> {
    let effect: Fault['effect'] = 'none';
    for (let pause = BACK_OFF_MS; ; pause = Math.min(2 * pause, MAX_BACK_OFF_MS)) {
      let last: Fault | undefined;
      for (const replica of this.#targets.candidates(this.#rules.keyOf(this.#request))) {
        try {
          return await attempt(replica);
        } catch (error) {
          if (!isServiceError(error) || !isNeverTaken(error)) effect = undefined;
          last = this.#faultOf(error, replica.name, effect);
          if (!this.#mayRepeat(error)) throw last;
        }
      }
      const wait = pause * (0.5 + Math.random() / 2);
      if (performance.now() + wait >= this.#deadline) throw last ?? this.#noReplica(effect);
      await this.#targets.failed(wait);
    }
  }

  #mayRepeat(error: unknown): boolean {
    if (!isServiceError(error) || faultOfStatus(error)) return false;
    return isNeverTaken(error) || (isConnectionLost(error) && this.#rules.isRepeatable(this.#request));
  }

  #faultOf(error: unknown, where: string, effect?: Fault['effect']): Fault {
    if (!isServiceError(error)) return Fault.from(error);
    return faultOfStatus(error) ?? faultOfFailure(error, `${this.#method} at ${where}`, effect);
  }

  #noReplica(effect: Fault['effect']): Fault {
    const internal = `${this.#method}: no replica found`;
    return new Fault('unavailable', 'A service does not answer', { internal, effect });
  }
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && 'metadata' in error;
