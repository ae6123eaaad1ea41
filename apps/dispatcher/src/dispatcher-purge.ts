import { channelNames } from '@tidings/channels';
import type { Clock } from '@tidings/kernel';
import { collectionOf, modelOf } from '@tidings/mongo';
import type { DeletionsOptions } from '@tidings/service/deletions';
import type { Db } from 'mongodb';
import type { SentValuesStore } from './sent/sent-values.ts';
import type { ThrottleDocument } from './throttle/throttles.ts';
import { attemptsModel } from './attempts/attempts.schema.ts';
import { smsPartsModel, smsProgressModel } from './channels/sms/sms.schema.ts';
import { throttlesModel } from './throttle/throttle.schema.ts';

/** Ids of slices begin with message, bucket and application; codes contain no special characters of patterns. */
const slicesOf = (application: string): RegExp => new RegExp(`^[^/]+/\\d+/${application}/`);

/**
 * Makes the deferred slices of a deleted application due, in all channels (R-B2): without a credential they end at once, and the content is removed
 * with the deferral. Parts of its SMS are removed, and the values that its pushes were rendered from. Throttles lose the application; one that is left
 * without an application is removed.
 */
export function dispatcherPurge({
  db,
  clock,
  values,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly values: Pick<SentValuesStore, 'purge'>;
}): DeletionsOptions['purge'] {
  const attempts = collectionOf(db, attemptsModel);
  const throttles = modelOf(db, throttlesModel);
  const smsParts = collectionOf(db, smsPartsModel);
  const smsProgress = collectionOf(db, smsProgressModel);
  return async function* ({ application, look }) {
    for (const { _id, versions } of await throttles.find().lean<ThrottleDocument[]>()) {
      const own = Object.keys(versions).filter((reference) => reference.startsWith(`${application}/`));
      if (own.length === 0) continue;
      const $unset = Object.fromEntries(own.map((reference) => [`versions.${reference}`, '' as const]));
      await throttles.updateOne({ _id }, { $unset });
      await throttles.deleteOne({ _id, versions: {} });
    }
    // Until the second pass a process may still cache the credential.
    if (look === 0) return;
    const now = new Date(clock.now());
    yield;
    await values.purge(application);
    yield;
    await smsParts.deleteMany({ application });
    await smsProgress.deleteMany({ _id: { $regex: slicesOf(application) } });
    yield;
    await attempts.updateMany(
      {
        channel: { $in: [...channelNames()] },
        state: 'deferred',
        dueAt: { $gt: now },
        _id: { $regex: slicesOf(application) },
        'deferral.answersUntil': { $exists: false },
      },
      { $set: { dueAt: now }, $unset: { 'deferral.heldUntil': '' } },
    );
  };
}
