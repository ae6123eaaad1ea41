import { expect } from '@jest/globals';
import { type Statistics, StatisticsDefinition } from '@tidings/rpc';
import { describeServiceModule } from '@tidings/testing';
import { StatisticsModule } from './statistics.module.ts';

describeServiceModule({
  name: 'statistics',
  module: StatisticsModule,
  async answers(reach) {
    const reply = await reach<Statistics>(StatisticsDefinition).metrics({ messages: ['0000-AAAAAAAA-BBBBBBBB'] });
    expect(reply.messages).toEqual([{ message: '0000-AAAAAAAA-BBBBBBBB', platforms: [] }]);
  },
});
