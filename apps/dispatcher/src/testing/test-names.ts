import { isIP, type LookupFunction } from 'node:net';
import { answerWith, limitedLookup } from '@tidings/runtime';

export const PROVIDER_HOST = 'provider.test';

type NameAnswer = readonly string[] | 'ENOTFOUND' | 'EAI_AGAIN' | 'silence';

export class TestNames {
  readonly next: NameAnswer[] = [];
  answer: NameAnswer = ['127.0.0.1'];
  calls = 0;

  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    this.calls++;
    const answer = this.next.shift() ?? this.answer;
    if (answer === 'silence') return;
    if (typeof answer === 'string') {
      const error = { code: answer, syscall: 'getaddrinfo', hostname };
      setImmediate(() => callback(Object.assign(new Error(`getaddrinfo ${answer} ${hostname}`), error), '', 0));
      return;
    }
    const found = answer.map((address) => ({ address, family: isIP(address) }));
    setImmediate(() => answerWith(found, options, callback));
  };

  readonly lookup: LookupFunction = limitedLookup(this.#lookup);
}
