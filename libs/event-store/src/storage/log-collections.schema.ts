import {
  date,
  defineModel,
  flag,
  inDays,
  list,
  mixed,
  type ModelDefinition,
  number,
  object,
  optional,
  record,
  bytes,
  text,
} from '@tidings/mongo';
import type { DocumentAddress } from '../event-log-port.ts';
import type { CommitDocument, HeadDocument } from '../mongo/commits.ts';
import type { QuarantineDocument } from '../mongo/open-logs.ts';
import type { SkippedCommitDocument } from '../relay/skipped-commits.ts';

const place = object<CommitDocument['_id']>({ log: text, position: number });

export const logCollections = (category: string, retentionMs: number): readonly ModelDefinition[] => [
  defineModel<CommitDocument>({
    name: `${category}.commits`,
    retention: `${inDays(retentionMs)}, and until they are applied and published`,
    fields: {
      _id: place,
      uid: text,
      at: date,
      events: list(bytes),
      documents: optional(list(object<{ event: number; ids: string[] }>({ event: number, ids: list(text) }))),
      meta: optional(mixed),
      trace: optional(record(text)),
    },
  }),
  defineModel<HeadDocument>({
    name: `${category}.heads`,
    retention: 'as long as the log exists',
    fields: { _id: text, applied: number, published: number },
  }),
  defineModel<QuarantineDocument>({
    name: `${category}.quarantine`,
    retention: 'until the document can be applied',
    fields: {
      _id: object<DocumentAddress>({ collection: text, id: text }),
      log: text,
      position: number,
      reason: text,
      isUnknown: optional(flag),
      at: date,
    },
  }),
  defineModel<SkippedCommitDocument>({
    name: `${category}.unpublished`,
    retention: 'until an operator removes it',
    fields: { _id: place, reason: text, at: date },
  }),
];
