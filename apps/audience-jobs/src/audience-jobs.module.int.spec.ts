import { expect } from '@jest/globals';
import { JobKind } from '@tidings/events';
import { type Jobs, JobsDefinition } from '@tidings/rpc';
import { describeServiceModule } from '@tidings/testing';
import { AudienceJobsModule } from './audience-jobs.module.ts';

describeServiceModule({
  name: 'audience-jobs',
  module: AudienceJobsModule,
  peers: ['registry'],
  async answers(reach) {
    const unknown = { job: 'unknown', kind: JobKind.JOB_KIND_EXPORT, account: 'default' };
    expect(await reach<Jobs>(JobsDefinition).find(unknown)).toEqual({ job: undefined });
  },
});
