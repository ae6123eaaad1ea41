import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { Attempts, type Refusal, sceneOf, type Scene, type Vanishing } from '../behaviour.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import type { Ledger } from '../ledger.ts';
import type { SocketProvider } from '../provider.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import { Outbox } from '../transport/outbox.ts';
import { parseSmsNumber, type ReceiptKind } from './sms-numbers.ts';
import {
  COMMAND,
  cText,
  pduOf,
  receiptBody,
  type Received,
  RESPONSE,
  type Submitted,
  submittedIn,
  takePdus,
} from './smpp-wire.ts';

export interface SmscDeps {
  readonly ledger: Ledger;
  readonly faults: Faults;
}

export const REFUSED_PASSWORD = 'wrong';

export const isCommandStatus = (text: string): boolean => /^0x[0-9A-F]{2,8}$/.test(text) && Number(text) > 0;

const INVALID_PASSWORD = 0x0e;
const INVALID_COMMAND = 0x03;
const NOT_BOUND = 0x04;
const SYSTEM_ERROR = 0x08;
const MALFORMED = 0x02;
const QUEUE_FULL = 0x14;

const statuses: Readonly<Record<Exclude<Refusal, 'reason'>, number>> = {
  dead: 0x0b,
  badToken: 0x0b,
  throttled: 0x58,
  unavailable: SYSTEM_ERROR,
  serverError: 0x45,
  payloadRefused: 0x01,
  wrongTopic: 0x0a,
  expiredAuth: 0x0f,
};

/** The delay before an unaccepted receipt is delivered again. */
const RETRY_MS = 200;

/** Hexadecimal, and with letters. */
const idOf = (row: number): string => (0xa0_0000 + row).toString(16);

interface Receipt {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

interface Line {
  readonly socket: Socket;
  systemId: string;
  sequence: number;
  readonly delivering: Map<number, Receipt>;
  submitted: number;
  /** Until the peer unbinds, its submissions are served or refused. */
  leaving: 'no' | 'served' | 'refused';
}

const nth = (every: number, number: number): boolean => every > 0 && number % every === 0;

const textOf = ({ dataCoding, userData }: Submitted): string =>
  dataCoding === 8 ? Buffer.from(userData).swap16().toString('utf16le') : userData.toString('latin1');

/** Joins the writes of a turn, as busy servers do. */
function write(socket: Socket, bytes: Buffer): void {
  if (socket.writableCorked === 0) {
    socket.cork();
    setImmediate(() => socket.uncork());
  }
  socket.write(bytes);
}

/** SMPP 3.4 for transceivers; reports every accepted part as its number asks. */
export class Smsc implements SocketProvider {
  readonly name = 'smpp';
  readonly outbox: Outbox;
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #attempts = new Attempts();
  readonly #lines = new Set<Line>();
  readonly #held = new Map<string, Receipt[]>();

  constructor({ ledger, faults }: SmscDeps) {
    this.#ledger = ledger;
    this.#faults = faults.of('smpp');
    this.outbox = new Outbox(this.#faults);
  }

  reset(): void {
    this.#attempts.clear();
    this.#held.clear();
  }

  accept(socket: Socket): void {
    const line: Line = { socket, systemId: '', sequence: 0, delivering: new Map(), submitted: 0, leaving: 'no' };
    let rest = Buffer.alloc(0);
    this.#lines.add(line);
    socket.on('close', () => this.#closed(line));
    socket.on('data', (chunk: Buffer) => {
      const taken = takePdus(Buffer.concat([rest, chunk]));
      rest = Buffer.from(taken.rest);
      for (const pdu of taken.pdus) {
        // A connection that was reset has brought nothing more.
        if (!socket.destroyed) this.#take(line, pdu);
      }
    });
  }

  #closed(line: Line): void {
    this.#lines.delete(line);
    // Unanswered receipts are delivered on another bind.
    for (const receipt of line.delivering.values()) this.#hold(line.systemId, receipt);
  }

  #take(line: Line, { command, status, sequence, body }: Received): void {
    const answer = (of: Buffer): void => this.outbox.pass(() => write(line.socket, of));
    const { ignoredCommand } = this.#faults;
    if (ignoredCommand !== null && command === COMMAND[ignoredCommand]) return;
    switch (command) {
      case COMMAND.bindTransceiver:
        answer(this.#bind(line, sequence, body));
        this.#release(line);
        break;
      case COMMAND.submit:
        if (line.systemId === '' || line.leaving === 'refused') answer(pduOf(RESPONSE | command, NOT_BOUND, sequence));
        else this.#submit(line, sequence, body);
        break;
      case COMMAND.enquire:
        answer(pduOf(RESPONSE | command, 0, sequence));
        break;
      case COMMAND.unbind:
        answer(pduOf(RESPONSE | command, 0, sequence));
        this.outbox.pass(() => line.socket.end());
        break;
      case (RESPONSE | COMMAND.unbind) >>> 0:
        line.leaving = 'refused';
        this.outbox.pass(() => line.socket.end());
        break;
      case (RESPONSE | COMMAND.deliver) >>> 0:
        this.#delivered(line, sequence, status);
        break;
      default:
        if (command < RESPONSE) answer(pduOf(RESPONSE, INVALID_COMMAND, sequence));
    }
  }

  #bind(line: Line, sequence: number, body: Buffer): Buffer {
    const [systemId = '', password = ''] = body.toString('latin1').split('\0');
    const { answer } = this.#faults;
    const status = answer === null ? (password === REFUSED_PASSWORD ? INVALID_PASSWORD : 0) : Number(answer);
    if (status === 0) line.systemId = systemId;
    this.#ledger.of(this.name).note(status === 0 ? 'bound' : 'bind refused');
    return pduOf(RESPONSE | COMMAND.bindTransceiver, status, sequence, cText('smsc'));
  }

  #submit(line: Line, sequence: number, body: Buffer): void {
    const submitted = submittedIn(body);
    if (!submitted) {
      this.#answer(line, sequence, MALFORMED);
      return;
    }
    if (nth(this.#faults.resetEvery, ++line.submitted)) {
      this.#ledger.of(this.name).count('resetUnread');
      line.socket.resetAndDestroy();
      return;
    }
    const { kind, argument, receipt, refusedTry } = parseSmsNumber(submitted.to);
    const { systemId: credential } = line;
    if (refusedTry > 0 && this.#attempts.next(`try of ${submitted.to}`) === refusedTry) {
      this.#refuse(line, sequence, submitted, QUEUE_FULL);
      return;
    }
    if (kind === 'reason') this.#refuse(line, sequence, submitted, argument);
    else
      this.#perform(
        line,
        sequence,
        submitted,
        sceneOf({ kind, argument, token: submitted.to, credential }, this.#attempts),
        receipt,
      );
  }

  #perform(line: Line, sequence: number, submitted: Submitted, scene: Scene, receipt: ReceiptKind): void {
    switch (scene.does) {
      case 'accept':
        this.#accept(line, sequence, submitted, scene, receipt);
        break;
      case 'refuse':
        this.#refuse(line, sequence, submitted, scene.as === 'reason' ? SYSTEM_ERROR : statuses[scene.as]);
        break;
      case 'garble':
        this.#record(submitted, 0, 'garbled', '');
        this.outbox.post(0, () => write(line.socket, Buffer.from('<html>not SMPP</html>')));
        break;
      case 'vanish':
        this.#record(submitted, 0, scene.how, '');
        this.#vanish(line, sequence, scene.how);
    }
  }

  #vanish(line: Line, sequence: number, how: Vanishing): void {
    if (how === 'silence') return;
    if (how !== 'goaway') {
      line.socket.resetAndDestroy();
      return;
    }
    this.#dismiss(line, 'refused');
    this.#answer(line, sequence, NOT_BOUND);
  }

  #dismiss(line: Line, leaving: 'served' | 'refused'): void {
    if (line.leaving !== 'no') return;
    line.leaving = leaving;
    this.outbox.pass(() => write(line.socket, pduOf(COMMAND.unbind, 0, ++line.sequence)));
  }

  #accept(
    line: Line,
    sequence: number,
    submitted: Submitted,
    scene: Scene & { does: 'accept' },
    kind: ReceiptKind,
  ): void {
    const id = this.#ledger.of(this.name).nextId();
    this.#record(submitted, 0, ACCEPTED, id);
    const report = (): void => {
      if (submitted.wantsReceipt && kind !== 'none') this.#report(line, submitted, id, kind);
    };
    if (kind === 'early') report();
    if (scene.loseReply === true) {
      line.socket.resetAndDestroy();
      return;
    }
    const dismisses = scene.goaway === true || nth(this.#faults.goawayEvery, line.submitted);
    this.outbox.post(scene.delayMs ?? 0, () => {
      write(line.socket, pduOf(RESPONSE | COMMAND.submit, 0, sequence, cText(id)));
      if (kind !== 'early') report();
      if (dismisses) this.#dismiss(line, 'served');
    });
  }

  #refuse(line: Line, sequence: number, submitted: Submitted, status: number): void {
    this.#record(submitted, status, `0x${status.toString(16).padStart(2, '0')}`, '');
    this.#answer(line, sequence, status);
  }

  #answer(line: Line, sequence: number, status: number): void {
    this.outbox.post(0, () => write(line.socket, pduOf(RESPONSE | COMMAND.submit, status, sequence)));
  }

  #report(line: Line, { from, to }: Submitted, id: string, kind: ReceiptKind): void {
    const shown = kind === 'decimal' ? String(Number.parseInt(id, 16)) : id;
    const stat = kind === 'undelivered' ? 'UNDELIV' : 'DELIVRD';
    const text = `id:${shown} sub:001 dlvrd:001 submit date:2601151200 done date:2601151201 stat:${stat} err:000 text:`;
    const receipt = { from: to, to: from, text };
    if (kind === 'held') this.#hold(line.systemId, receipt);
    else this.#deliver(line, receipt);
  }

  #hold(systemId: string, receipt: Receipt): void {
    this.#held.set(systemId, [...(this.#held.get(systemId) ?? []), receipt]);
  }

  #release(line: Line): void {
    const held = this.#held.get(line.systemId) ?? [];
    this.#held.delete(line.systemId);
    for (const receipt of held) this.#deliver(line, receipt);
  }

  #deliver(line: Line, receipt: Receipt): void {
    const sequence = ++line.sequence;
    line.delivering.set(sequence, receipt);
    this.outbox.post(0, () =>
      write(line.socket, pduOf(COMMAND.deliver, 0, sequence, receiptBody(receipt.from, receipt.to, receipt.text))),
    );
  }

  #delivered(line: Line, sequence: number, status: number): void {
    const receipt = line.delivering.get(sequence);
    line.delivering.delete(sequence);
    if (!receipt) return;
    if (status === 0) this.#ledger.of(this.name).note('receipt taken');
    else setTimeout(() => this.#deliver(line, receipt), RETRY_MS).unref();
  }

  #record(submitted: Submitted, status: number, reason: string, id: string): void {
    const { from, to, part, parts, reference, userData } = submitted;
    const what = { from, text: textOf(submitted), part, parts, reference, dataCoding: submitted.dataCoding };
    const hash = createHash('sha256').update(`${part}/${parts}/${reference}/`).update(userData).digest('hex');
    const push: Push = { token: to, hash, collapseId: '', id, payload: Buffer.from(JSON.stringify(what)) };
    this.#ledger.of(this.name).record(push, status, reason);
  }
}

export const smppIdOf = idOf;
