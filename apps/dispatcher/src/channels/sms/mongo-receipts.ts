import { topicNames } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import { collectionOf } from '@tidings/mongo';
import { type Broker, microBatcher } from '@tidings/streaming';
import type { Db } from 'mongodb';
import { smsPartsModel, smsProgressModel, smsReceiptsModel } from './sms.schema.ts';
import { SmsReceipts } from './sms-receipts.ts';

interface MongoReceiptsDeps {
  readonly db: Db;
  readonly broker: Pick<Broker, 'publish'>;
  readonly clock: Clock;
}

export function mongoReceipts({ db, broker, clock }: MongoReceiptsDeps): SmsReceipts {
  const reports = microBatcher(broker, topicNames.reports);
  return new SmsReceipts({
    parts: collectionOf(db, smsPartsModel),
    receipts: collectionOf(db, smsReceiptsModel),
    progress: collectionOf(db, smsProgressModel),
    publish: (record) => reports.publish(record),
    clock,
  });
}
