import { type DynamicModule, Module } from '@nestjs/common';
import type { Stage } from '../simulators.ts';
import { FaultsController } from './faults.controller.ts';
import { LedgerController } from './ledger.controller.ts';
import { MailController } from './mail.controller.ts';
import { PagesController } from './pages.controller.ts';
import { STAGE } from './stage.ts';
import { WorldController } from './world.controller.ts';

@Module({})
export class ControlModule {
  static over(stage: Stage): DynamicModule {
    return {
      module: ControlModule,
      controllers: [LedgerController, FaultsController, WorldController, MailController, PagesController],
      providers: [{ provide: STAGE, useValue: stage }],
    };
  }
}
