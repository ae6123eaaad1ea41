import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { dispatcherGroup, fanoutGroups, lanes } from '@tidings/delivery';
import { topics } from '@tidings/events';
import { channels } from '@tidings/kernel';
import { addressVariable, consumerGroups, type ServiceName, services } from '@tidings/runtime';
import { appsIn } from '@tidings/testing';
import { programsWith } from './service-programs.ts';

const programs = programsWith();

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const names = Object.keys(services) as ServiceName[];

const composed = new Map(
  [...read('docker-compose.yml').matchAll(/^ {2}([\w-]+):\n {4}<<: \*service\n((?: {4}.*\n)+)/gm)].map(
    ([, name, settings]) => [name!, settings!],
  ),
);

describe('the list of services', () => {
  it('has one program for each service, one for each channel of the dispatcher, and the gateway last', () => {
    expect(programs.map(({ name }) => name)).toEqual([
      ...['audience-jobs', 'registry', 'scheduler', 'fanout'],
      ...channels.map((channel) => `dispatcher.${channel}`),
      ...['statistics', 'webhooks', 'gateway'],
    ]);
  });

  it('has one program for the channels that share a dispatcher', () => {
    const dispatchers = programsWith([['apns'], ['fcm', 'hms']]).filter(
      ({ services: [peer] }) => peer === 'dispatcher',
    );
    expect(dispatchers.map(({ name, env }) => [name, env])).toEqual([
      ['dispatcher.apns', { TIDINGS_CHANNEL: 'apns' }],
      ['dispatcher.fcm+hms', { TIDINGS_CHANNEL: 'fcm,hms' }],
    ]);
  });

  it('is the list of docker-compose.yml', () => {
    expect([...composed.keys()].sort()).toEqual(programs.map(({ name }) => name.replace('.', '-')).sort());
  });

  it.each(programs.map((program) => [program.name, program] as const))(
    'agrees with docker-compose.yml about the image, the program and the variables of %s',
    (name, program) => {
      const [peer] = program.services;
      const { required } = services[peer!];
      const settings = composed.get(name.replace('.', '-'));
      const image = /^ {4}image: tidings\/([\w-]+)\n/m.exec(settings!)![1]!;
      expect(appsIn(image)).toContain(program.entry.split('/')[0]);
      expect(settings).toContain(`args: { APP: ${image} }`);
      if (program.entry === `${image}/dist/main.js`) expect(settings).not.toContain('command:');
      else expect(settings).toContain(`'apps/${program.entry}'`);
      for (const [variable, value] of Object.entries(program.env ?? {}))
        expect(settings).toMatch(new RegExp(`\\b${variable}: ${value}\\s`));
      expect(settings!.includes('TIDINGS_ADMIN_TOKEN')).toBe(
        (required as readonly string[]).includes('TIDINGS_ADMIN_TOKEN'),
      );
      if (peer !== name) expect(settings).toContain(`aliases: [${peer}]`);
    },
  );

  it('is the list of programs in docs/operations/installing.md, with the requirements and the calls of each', () => {
    const page = read('docs/operations/installing.md');
    const rows = [...page.matchAll(/^\| `apps\/([\w-]+\/dist\/main[\w.]*)` \| .* \| 9090 \| (.*) \| (.*) \|$/gm)];
    expect(rows.map(([, entry]) => entry!).sort()).toEqual(names.map((name) => services[name].program).sort());
    for (const [row, entry, requires, calls] of rows) {
      const { required, peers } = services[names.find((name) => services[name].program === entry)!];
      const variables = (required as readonly string[]).filter((variable) => variable !== 'MONGO_URL');
      for (const variable of variables) expect([row, requires]).toEqual([row, expect.stringContaining(variable)]);
      const stated =
        calls === 'every service, and other gateways' ? names : calls!.split(', ').filter((each) => each !== '–');
      expect([entry, stated]).toEqual([entry, peers]);
    }
  });

  describe('the rights in docs/operations/access.md', () => {
    const section = read('docs/operations/access.md')
      .split('\n## Rights in Kafka and MongoDB\n')[1]!
      .split('\n## ')[0]!;
    const rows = [...section.matchAll(/^\| ([\w-]+) \| (.*) \| (.*) \| (.*) \| .* \|$/gm)];
    const namesIn = (cell: string): string[] => [...cell.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name!);
    const rights = new Map(
      rows.map(([, name, write, readable, groups]) => [
        name!,
        { write: namesIn(write!), read: namesIn(readable!), groups: namesIn(groups!) },
      ]),
    );
    const covers = (right: string, name: string): boolean =>
      right === name || (right.endsWith('.') && name.startsWith(right));

    it('have a row for Kafka, with existing topics, each of which a program writes', () => {
      const all = topics(channels).map(({ name }) => name.replace(/^tidings\./, ''));
      for (const name of names) {
        const { write, read: readable } = rights.get(name)!;
        const unknown = [...write, ...readable].filter((right) => !all.some((topic) => covers(right, topic)));
        expect([name, unknown]).toEqual([name, []]);
      }
      const written = names.flatMap((name) => rights.get(name)!.write);
      expect(all.filter((topic) => !written.some((right) => covers(right, topic)))).toEqual([]);
    });

    it('have the consumer groups of each program', () => {
      const working: Partial<Record<ServiceName, readonly string[]>> = {
        ...consumerGroups,
        fanout: Object.values(fanoutGroups),
        dispatcher: channels.flatMap((channel) => lanes.map((lane) => dispatcherGroup(channel, lane))),
      };
      for (const name of names) {
        const { groups } = rights.get(name)!;
        expect(groups).not.toEqual([]);
        const refused = (working[name] ?? []).filter((group) => !groups.some((right) => covers(right, group)));
        expect([name, refused]).toEqual([name, []]);
      }
    });

    it('have a row for MongoDB with its database, and that of the master key', () => {
      for (const name of names) {
        const facts = services[name];
        if (!('database' in facts)) continue;
        const [, row] = new RegExp(`^\\| (?:[\\w-]+, )*${name}(?:, [\\w-]+)* \\| (.*) \\|$`, 'm').exec(
          section.split('**MongoDB.**')[1]!,
        )!;
        expect(namesIn(row!)).toEqual([`tidings_${facts.database}`, 'tidings_system']);
      }
    });
  });

  it('is the list of targets of Prometheus in docs/operations/alerts.md', () => {
    const [, example] = /^scrape_configs:\n(.*?)^---/ms.exec(read('docs/operations/alerts.md'))!;
    const targets = [...example!.matchAll(/'([\w-]+):8080'/g)].map(([, target]) => target!);
    expect(targets.sort()).toEqual([...composed.keys()].sort());
  });

  it('is the list of addresses in docs/configuration.md', () => {
    const stated = [...read('docs/configuration.md').matchAll(/^\| `(\w+_ADDRESS)`/gm)].map(
      ([, variable]) => variable!,
    );
    expect(stated.sort()).toEqual(names.map(addressVariable).sort());
  });

  it('is the list of services in docs/architecture.md', () => {
    const section = read('docs/architecture.md').split('\n## ')[2]!;
    const stated = [...section.matchAll(/^\| `([\w-]+)`(?:, second entry `main\.([\w-]+)\.ts`)?/gm)].map(
      ([, name, entry]) => entry ?? name!,
    );
    const programsOnly = stated.filter((name) => !['platform', 'simulators'].includes(name));
    expect(programsOnly.sort()).toEqual(names.toSorted());
  });
});
