import { BlockList, isIP, isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

export function plainAddress(text: string): string {
  const end = text.indexOf('%');
  const bare = end < 0 ? text : text.slice(0, end);
  const address = (bare.startsWith(':') && MAPPED.exec(bare)?.[1]) || bare;
  return isIP(address) === 0 ? '' : address;
}

export function isRange(text: string): boolean {
  const [ip = '', prefix = '', ...more] = text.split('/');
  return more.length === 0 && isIP(ip) !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv6(ip) ? 128 : 32);
}

export class AddressRanges {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  constructor(ranges: readonly string[]) {
    this.#isEmpty = ranges.length === 0;
    for (const range of ranges) {
      const [ip = '', prefix] = range.split('/');
      const [family, longest] = isIPv6(ip) ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
      this.#list.addSubnet(ip, prefix === undefined ? longest : Number(prefix), family);
    }
  }

  has(text: string): boolean {
    if (this.#isEmpty) return false;
    const address = plainAddress(text);
    return address !== '' && this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}
