import { describe, expect, it } from '@jest/globals';
import { parseAddress, replicaName, resolveHost } from './rpc-addresses.ts';

describe('an address', () => {
  it('names one host or more, each with its port', () => {
    expect(parseAddress('registry:9090')).toEqual([{ host: 'registry', port: 9090 }]);
    expect(parseAddress('127.0.0.1:1, a-b.c_d.example:65535,[fd00::7]:2')).toEqual([
      { host: '127.0.0.1', port: 1 },
      { host: 'a-b.c_d.example', port: 65_535 },
      { host: 'fd00::7', port: 2 },
    ]);
  });

  it.each(['', 'registry', 'registry:', 'registry:0', 'registry:65536', 'http://registry:1', 'a:1,', 'fd00::7:2'])(
    'is refused as %j',
    (text) => {
      expect(() => parseAddress(text)).toThrow('must be host:port[,host:port…]');
    },
  );

  it('denotes every IP address of its host, IPv4 before IPv6', async () => {
    expect(await resolveHost('127.0.0.1')).toEqual(['127.0.0.1']);
    expect(await resolveHost('::1')).toEqual(['::1']);
    expect(await resolveHost('localhost')).toContain('127.0.0.1');
    expect([replicaName('10.0.0.7', 1), replicaName('fd00::7', 1)]).toEqual(['10.0.0.7:1', '[fd00::7]:1']);
  });
});
