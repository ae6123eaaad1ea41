import { randomBytes } from 'node:crypto';
import { type Clock, Fault } from '@tidings/kernel';
import { asBuffer, bytesOf, isDuplicateKey, modelOf } from '@tidings/mongo';
import { type Logger, type MasterKeys, open, reseal, seal, type SealContext } from '@tidings/runtime';
import type { Db } from 'mongodb';
import { type SecretsDocument, secretsModel } from './subscriptions.schema.ts';

export const BOTH_VALID_MS = 24 * 3_600_000;
const MAX_SECRETS = 4;
const KEY_BYTES = 32;
const ORPHANED_MS = 3_600_000;

type SealedSecret = SecretsDocument['sealed'][number];

export interface SubscriptionSecrets {
  has(id: string): Promise<boolean>;
  /** Returns `whsec_…`; earlier ones are valid for 24 h more. */
  add(id: string): Promise<string>;
  /** Newest first. @throws Fault `unavailable` without a master key */
  keysOf(id: string): Promise<readonly Buffer[]>;
  remove(id: string): Promise<void>;
  removeExcept(ids: readonly string[]): Promise<void>;
  reseal(): Promise<number>;
}

const sealedPlaceOf = (id: string): SealContext => ({ application: `subscription ${id}`, field: 'secret' });

const textOf = (key: Uint8Array): string => `whsec_${Buffer.from(key).toString('base64')}`;

function earlier(secrets: readonly SealedSecret[], now: number): SealedSecret[] {
  const until = new Date(now + BOTH_VALID_MS);
  return secrets
    .map(({ box, until: end = until }) => ({ box: asBuffer(bytesOf(box)), until: end }))
    .filter(({ until: end }) => end.getTime() > now)
    .slice(0, MAX_SECRETS - 1);
}

export function openSecrets(
  db: Db,
  { clock, master, log }: { readonly clock: Clock; readonly master: MasterKeys; readonly log: Logger },
): SubscriptionSecrets {
  const secrets = modelOf(db, secretsModel);
  const find = (id: string) => secrets.findOne({ _id: id }).lean<SecretsDocument | null>();

  const write = async (id: string, stored: SecretsDocument | null, sealed: SealedSecret[]): Promise<boolean> => {
    if (stored) {
      const { version } = stored;
      const { matchedCount } = await secrets.updateOne(
        { _id: id, version },
        { $set: { sealed, version: version + 1 } },
      );
      return matchedCount === 1;
    }
    try {
      await secrets.create({ _id: id, sealed, version: 1, createdAt: new Date(clock.now()) });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  const resealed = (id: string, box: Uint8Array): Uint8Array | undefined => {
    try {
      return reseal(master, sealedPlaceOf(id), box);
    } catch (error) {
      log.error({ subscription: id, err: error }, 'a sealed box opens with no master key');
      return undefined;
    }
  };

  const resealAll = async (stored: SecretsDocument): Promise<number> => {
    const boxes = stored.sealed.map(({ box }) => resealed(stored._id, bytesOf(box)));
    const found = boxes.filter((box) => box !== undefined).length;
    if (found === 0) return 0;
    const sealed = stored.sealed.map((secret, i) => ({ ...secret, box: asBuffer(boxes[i] ?? bytesOf(secret.box)) }));
    await write(stored._id, stored, sealed);
    return found;
  };

  return {
    has: async (id) => (await secrets.exists({ _id: id })) !== null,
    async add(id) {
      const key = randomBytes(KEY_BYTES);
      const box = asBuffer(seal(master, sealedPlaceOf(id), key));
      for (;;) {
        const stored = await find(id);
        const sealed = [{ box }, ...earlier(stored?.sealed ?? [], clock.now())];
        if (await write(id, stored, sealed)) return textOf(key);
      }
    },
    async keysOf(id) {
      const stored = await find(id);
      if (!stored) throw Fault.notFound('the subscription has no secret: make one');
      const valid = stored.sealed.filter(({ until }) => until === undefined || until.getTime() > clock.now());
      return valid.map(({ box }) => open(master, sealedPlaceOf(id), bytesOf(box)));
    },
    async remove(id) {
      await secrets.deleteOne({ _id: id });
    },
    async removeExcept(ids) {
      const createdAt = { $lt: new Date(clock.now() - ORPHANED_MS) };
      await secrets.deleteMany({ _id: { $nin: [...ids] }, createdAt });
    },
    async reseal() {
      let found = 0;
      for (const stored of await secrets.find().lean<SecretsDocument[]>()) found += await resealAll(stored);
      return found;
    },
  };
}
