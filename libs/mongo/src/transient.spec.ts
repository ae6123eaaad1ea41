import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  type WriteError,
} from 'mongodb';
import { faultOf, isTransient, transientAsFault, UnknownOutcome } from './transient.ts';

const bulk = (error: ConstructorParameters<typeof MongoBulkWriteError>[0]): MongoBulkWriteError =>
  new MongoBulkWriteError(error, {} as BulkWriteResult);

const refused = (code: number, errmsg: string): WriteError => ({ code, errmsg }) as WriteError;

describe('errors', () => {
  it.each([
    ['a lost connection', new MongoNetworkError('connection reset')],
    ['the same in a bulk write, where the driver makes a server error of it', bulk(new MongoNetworkError('reset'))],
    ['an election', new MongoServerError({ message: 'not master', code: 10107 })],
    ['a command that was not answered', new UnknownOutcome('late')],
    ['an election in a bulk write', bulk(new MongoServerError({ message: 'not master', code: 10107 }))],
    [
      'a full disk, as MongoDB 4.0 and newer report it',
      new MongoServerError({ message: '28: No space left on device', code: 8 }),
    ],
    ['a full disk before a build', new MongoServerError({ message: 'available disk space of 5 bytes', code: 14031 })],
    ['a sort that cannot spill', new MongoServerError({ message: 'write: No space left on device', code: 16821 })],
    ['a full quota of a hosted store', new MongoServerError({ message: 'you are over your space quota', code: 8000 })],
    ['a full disk in an internal error', new MongoServerError({ message: 'WT_PANIC: No space left', code: 1 })],
    ['too many open files of the store', new MongoServerError({ message: 'too many files open', code: 264 })],
    ['a store that blocks writes', new MongoServerError({ message: 'User writes blocked', code: 371 })],
    [
      'a full disk after a duplicate in the same bulk write',
      bulk({ message: 'duplicate', code: 11000, writeErrors: [refused(11000, 'E11000'), refused(8, '28: No space')] }),
    ],
    ['a broken socket', Object.assign(new Error('read ECONNRESET'), { syscall: 'read' })],
  ])('are transient: %s', (_, error) => expect(isTransient(error)).toBe(true));

  it.each([
    ['a refusal of the command', new MongoServerError({ message: 'duplicate key', code: 11000 })],
    ['a refusal in a bulk write', bulk({ message: 'too large', code: 10334, writeErrors: [] })],
    ['what the driver refuses to send', new MongoInvalidArgumentError('no pipeline')],
    [
      'a duplicate whose key says that a disk is full',
      new MongoServerError({ message: 'E11000 dup key: { : "No space left on device" }', code: 11000 }),
    ],
    [
      'an invalid document that says so',
      new MongoServerError({ message: 'Document failed validation: No space left on device', code: 121 }),
    ],
    ['an internal error of other causes', new MongoServerError({ message: 'assertion', code: 1 })],
    [
      'duplicates in a bulk write',
      bulk({ message: 'duplicate', code: 11000, writeErrors: [refused(11000, 'E11000')] }),
    ],
    ['a mistake of ours', new TypeError('x is undefined')],
  ])('are not transient: %s', (_, error) => expect(isTransient(error)).toBe(false));

  it('become a Fault `unavailable` if they are transient, and all others stay unchanged', () => {
    const lost = new MongoNetworkError('connection reset');
    expect(faultOf(lost)).toMatchObject({ kind: 'unavailable', cause: lost });
    expect(faultOf(new TypeError('x is undefined'))).toMatchObject({ kind: 'bug', internal: 'x is undefined' });
    const refused = Fault.argument('no');
    expect(faultOf(refused)).toBe(refused);
  });

  it('make their work unavailable if they are transient, and all others stay unchanged', async () => {
    const lost = new MongoNetworkError('connection reset');
    await expect(transientAsFault(() => Promise.reject(lost))).rejects.toMatchObject({
      kind: 'unavailable',
      cause: lost,
    });
    const mistake = new TypeError('x is undefined');
    await expect(transientAsFault(() => Promise.reject(mistake))).rejects.toBe(mistake);
  });
});
