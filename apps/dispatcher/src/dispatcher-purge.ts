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

const slicesOf = (application: string): RegExp => new RegExp(`^[^/]+/\\d+/${application}/`);

/** Due slices without a credential end at once, and their content goes (R-B2). */
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
  return async function* ({ application, round }) {
    for (const { _id, versions } of await throttles.find().lean<ThrottleDocument[]>()) {
      const own = Object.keys(versions).filter((reference) => reference.startsWith(`${application}/`));
      if (own.length === 0) continue;
      const $unset = Object.fromEntries(own.map((reference) => [`versions.${reference}`, '' as const]));
      await throttles.updateOne({ _id }, { $unset });
      await throttles.deleteOne({ _id, versions: {} });
    }
    // A process may cache the credential until the second pass.
    if (round === 0) return;
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
