// The driver's error classes without the driver, which a process loads while its server starts.
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
