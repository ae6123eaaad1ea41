import type { IncomingHttpHeaders } from 'node:http';
import type { Simulator } from '../test-simulators.ts';
import { SIGNED, TOY } from './toy-definition.ts';

export const TOY_AUTHORIZATION = 'Toy client:secret';

interface ToyRequest {
  readonly to: string;
  readonly p: string;
  readonly variant: string;
}

/** Tokens that begin with `DEAD` are refused for ever, with `BUSY` the first time. */
export const toySimulator: Simulator = {
  http1: false,
  idOf: (row) => `toy-${row}`,
  isReason: () => false,
  open({ ledger }) {
    const busy = new Set<string>();
    const answerTo = (
      { to, variant }: ToyRequest,
      headers: IncomingHttpHeaders,
    ): { status: number; reason: string } => {
      const { authorization, publickey: key = '' } = headers;
      if ((variant === SIGNED) !== (key !== '')) return { status: 400, reason: 'wrong key' };
      if (authorization !== TOY_AUTHORIZATION) return { status: 403, reason: 'forbidden' };
      if (to.startsWith('DEAD')) return { status: 410, reason: 'gone' };
      if (!to.startsWith('BUSY') || busy.has(to)) return { status: 200, reason: 'accepted' };
      busy.add(to);
      return { status: 503, reason: 'busy' };
    };
    return {
      name: TOY,
      handle({ headers, body }) {
        const request = JSON.parse(body.toString('utf8')) as ToyRequest;
        const { to, p } = request;
        const { status, reason } = answerTo(request, headers);
        ledger.of(TOY).record({ token: to, hash: p, collapseId: '', id: '', payload: body }, status, reason);
        return { does: 'answer', status, headers: [], body: status === 200 ? '' : reason };
      },
      reset: () => busy.clear(),
    };
  },
};
