import { expect } from '@jest/globals';
import { ListMessagesRequest, type Messages, MessagesDefinition } from '@tidings/rpc';
import { describeServiceModule } from '@tidings/testing';
import { SchedulerModule } from './scheduler.module.ts';

describeServiceModule({
  name: 'scheduler',
  module: SchedulerModule,
  peers: ['registry'],
  async answers(reach) {
    const request = ListMessagesRequest.fromPartial({ account: 'default', application: 'AAAAA-BBBBB', limit: 1 });
    expect(await reach<Messages>(MessagesDefinition).list(request)).toMatchObject({ messages: [] });
  },
});
