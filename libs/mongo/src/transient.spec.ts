import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
} from 'mongodb';
import { faultOf, isTransient, transientAsFault, UnknownOutcome } from './transient.ts';

const bulk = (error: ConstructorParameters<typeof MongoBulkWriteError>[0]): MongoBulkWriteError =>
  new MongoBulkWriteError(error, {} as BulkWriteResult);

describe('errors', () => {
  it.each([
    ['a lost connection', new MongoNetworkError('connection reset')],
    ['the same in a bulk write, where the driver makes a server error of it', bulk(new MongoNetworkError('reset'))],
    ['an election', new MongoServerError({ message: 'not master', code: 10107 })],
    ['a command that was not answered', new UnknownOutcome('late')],
    ['an election in a bulk write', bulk(new MongoServerError({ message: 'not master', code: 10107 }))],
    ['a broken socket', Object.assign(new Error('read ECONNRESET'), { syscall: 'read' })],
  ])('are transient: %s', (_, error) => expect(isTransient(error)).toBe(true));

  it.each([
    ['a refusal of the command', new MongoServerError({ message: 'duplicate key', code: 11000 })],
    ['a refusal in a bulk write', bulk({ message: 'too large', code: 10334, writeErrors: [] })],
    ['what the driver refuses to send', new MongoInvalidArgumentError('no pipeline')],
    ['a mistake of ours', new TypeError('x is undefined')],
  ])('are not transient: %s', (_, error) => expect(isTransient(error)).toBe(false));

  it('that are transient become a Fault `unavailable`, and all others stay as they are', () => {
    const lost = new MongoNetworkError('connection reset');
    expect(faultOf(lost)).toMatchObject({ kind: 'unavailable', cause: lost });
    expect(faultOf(new TypeError('x is undefined'))).toMatchObject({ kind: 'bug', internal: 'x is undefined' });
    const refused = Fault.argument('no');
    expect(faultOf(refused)).toBe(refused);
  });

  it('that are transient make the work that fails with them unavailable, and all others stay as they are', async () => {
    const lost = new MongoNetworkError('connection reset');
    await expect(transientAsFault(() => Promise.reject(lost))).rejects.toMatchObject({
      kind: 'unavailable',
      cause: lost,
    });
    const mistake = new TypeError('x is undefined');
    await expect(transientAsFault(() => Promise.reject(mistake))).rejects.toBe(mistake);
  });
});
