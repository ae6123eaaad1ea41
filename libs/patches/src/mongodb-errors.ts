// The classes of the driver's errors, without the driver: a process that starts a server loads the driver beside it.
import type * as driver from 'mongodb';
import { internalsOf } from './internals.ts';

type ErrorName =
  | 'MongoCompatibilityError'
  | 'MongoError'
  | 'MongoInvalidArgumentError'
  | 'MongoServerError'
  | 'MongoWriteConcernError';

export const {
  MongoCompatibilityError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
  MongoWriteConcernError,
} = internalsOf('mongodb', '6.16.0')('lib/error') as Pick<typeof driver, ErrorName>;
