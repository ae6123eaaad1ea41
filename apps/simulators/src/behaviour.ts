import type { Answer, Reaction } from './provider.ts';

/** Kinds that count behave so `times` times per token, then accept; 0 = for ever. `accepted` is any token without a request. */
export const kinds = [
  'accepted',
  'dead',
  'badToken',
  'throttled',
  'unavailable',
  'serverError',
  'payloadRefused',
  'wrongTopic',
  'expiredAuth',
  'silent',
  'reset',
  'refusedStream',
  'disconnect',
  'goaway',
  'goawayBefore',
  'lostReply',
  'malformed',
  'slow',
  'reason',
] as const;
export type Kind = (typeof kinds)[number];

export type Refusal =
  | 'dead'
  | 'badToken'
  | 'throttled'
  | 'unavailable'
  | 'serverError'
  | 'payloadRefused'
  | 'wrongTopic'
  | 'expiredAuth'
  | 'reason';

export type Vanishing = 'silence' | 'reset' | 'refuseStream' | 'disconnect' | 'goaway';

export type Scene =
  | { readonly does: 'accept'; readonly delayMs?: number; readonly goaway?: boolean; readonly loseReply?: boolean }
  | { readonly does: 'refuse'; readonly as: Refusal }
  | { readonly does: 'garble' }
  | { readonly does: 'vanish'; readonly how: Vanishing };

/** Tries of each special token, and the credential that it refused as expired. */
export class Attempts {
  readonly #tries = new Map<string, number>();
  readonly #credentials = new Map<string, string>();

  /** From 1. */
  next(token: string): number {
    const nth = (this.#tries.get(token) ?? 0) + 1;
    this.#tries.set(token, nth);
    return nth;
  }

  firstCredential(token: string, credential: string): string {
    const first = this.#credentials.get(token) ?? credential;
    this.#credentials.set(token, first);
    return first;
  }

  clear(): void {
    this.#tries.clear();
    this.#credentials.clear();
  }
}

export interface Cue {
  readonly kind: Kind;
  /** A number of times; tenths of a second for `slow`; 0 = until renewed, for `expiredAuth`. */
  readonly argument: number;
  readonly token: string;
  readonly credential: string;
}

const accept: Scene = { does: 'accept' };

/** They accept after a number of times. */
const counted: ReadonlyMap<Kind, Scene> = new Map<Kind, Scene>([
  ['throttled', { does: 'refuse', as: 'throttled' }],
  ['unavailable', { does: 'refuse', as: 'unavailable' }],
  ['silent', { does: 'vanish', how: 'silence' }],
  ['reset', { does: 'vanish', how: 'reset' }],
  ['refusedStream', { does: 'vanish', how: 'refuseStream' }],
  ['disconnect', { does: 'vanish', how: 'disconnect' }],
  ['goawayBefore', { does: 'vanish', how: 'goaway' }],
  ['lostReply', { does: 'accept', loseReply: true }],
]);

const constant: ReadonlyMap<Kind, Scene> = new Map<Kind, Scene>([
  ['dead', { does: 'refuse', as: 'dead' }],
  ['badToken', { does: 'refuse', as: 'badToken' }],
  ['serverError', { does: 'refuse', as: 'serverError' }],
  ['payloadRefused', { does: 'refuse', as: 'payloadRefused' }],
  ['wrongTopic', { does: 'refuse', as: 'wrongTopic' }],
  ['reason', { does: 'refuse', as: 'reason' }],
  ['goaway', { does: 'accept', goaway: true }],
  ['malformed', { does: 'garble' }],
]);

/** 1 for kinds that count and for `slow`, else 0. */
export const defaultArgument = (kind: Kind): number => (counted.has(kind) || kind === 'slow' ? 1 : 0);

/** Counts the try. */
export const sceneOf = ({ kind, argument, token, credential }: Cue, attempts: Attempts): Scene => {
  const nth = attempts.next(token);
  const repeated = counted.get(kind);
  if (repeated !== undefined) return argument === 0 || nth <= argument ? repeated : accept;
  if (kind === 'slow') return { does: 'accept', delayMs: argument * 100 };
  if (kind === 'expiredAuth') {
    const renewed = attempts.firstCredential(token, credential) !== credential;
    return renewed && argument === 0 ? accept : { does: 'refuse', as: 'expiredAuth' };
  }
  return constant.get(kind) ?? accept;
};

/** Each method writes to the ledger. */
export interface Actor {
  accept(): Answer;
  refuse(as: Refusal): Answer;
  garble(): Answer;
  vanish(reason: string): void;
}

const reactions: Readonly<Record<Vanishing, Reaction>> = {
  silence: { does: 'silence' },
  reset: { does: 'reset', processed: true },
  refuseStream: { does: 'reset', processed: false },
  disconnect: { does: 'disconnect' },
  goaway: { does: 'goaway' },
};

export const perform = (scene: Scene, actor: Actor): Reaction => {
  switch (scene.does) {
    case 'accept': {
      const answer = actor.accept();
      if (scene.loseReply === true) return reactions.reset;
      return { ...answer, delayMs: scene.delayMs ?? 0, goaway: scene.goaway ?? false };
    }
    case 'refuse':
      return actor.refuse(scene.as);
    case 'garble':
      return actor.garble();
    case 'vanish':
      actor.vanish(scene.how);
      return reactions[scene.how];
  }
};
