import { readdirSync, readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from '@jest/globals';
import { backendNames } from '@tidings/runtime';
import { packageDefinition } from './grpc/codecs.ts';
import { inProcessServices, rpcServices, servedBy, servedByEveryProcess } from './rpc-services.ts';
import { stubServices } from './testing/stub-services.ts';

const protos = new URL('../../../proto/tidings/rpc/v1/', import.meta.url);

describe('the table of services', () => {
  it('has every service of the protos except Operations', () => {
    const declared = readdirSync(protos).flatMap((file) =>
      [...readFileSync(new URL(file, protos), 'utf8').matchAll(/^service (\w+)/gm)].map(([, name]) => name),
    );
    const names = Object.values(rpcServices).map(({ definition }) => definition.name);
    expect([...names, 'Operations'].sort()).toEqual(declared.sort());
  });

  it('assigns every service to one owner, and Operations to each process', () => {
    const served = backendNames.flatMap((name) => [...new Set(servedBy(name).map(([service]) => service))]);
    expect(served.sort()).toEqual(Object.keys(rpcServices).sort());
    expect(servedByEveryProcess.map(([name]) => name)).toEqual(['operations']);
  });

  /** Replaced by `Accept` (ADR 73). */
  const gone = ['Devices/Prepare', 'Messages/Create', 'Messages/FindCreated'];

  it('answers the calls of the previous version, except those that accepted messages', () => {
    const image = fromBinary(FileDescriptorSetSchema, readFileSync(new URL('../../../image.binpb', protos)));
    const calls = image.file
      .filter((file) => file.package === 'tidings.rpc.v1')
      .flatMap((file) => file.service.flatMap(({ name, method }) => method.map((call) => `${name}/${call.name}`)));
    const served = packageDefinition(
      [...backendNames.flatMap(servedBy), ...servedByEveryProcess].map(([, definition]) => definition),
    );
    const paths = Object.values(served).flatMap((service) => Object.values(service).map(({ path }) => path));
    expect(calls.length).toBeGreaterThan(50);
    expect(calls.filter((call) => !paths.includes(`/tidings.rpc.v1.${call}`)).toSorted()).toEqual(gone);
  });

  it('binds the services of a backend in one process', async () => {
    const archive = { archives: [] };
    const { jobs, ...others } = inProcessServices(
      'audience-jobs',
      stubServices({ jobs: { findArchives: async () => archive } }),
    );
    expect(await jobs.findArchives({ archive: 'n' })).toBe(archive);
    await expect(jobs.find({ job: 'j', kind: 0, account: 'a' })).rejects.toMatchObject({ kind: 'bug' });
    expect(others).toEqual({});
  });
});
