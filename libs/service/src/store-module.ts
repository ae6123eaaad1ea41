import { type DynamicModule, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { ServiceDatabase } from '@tidings/runtime';
import { ServiceProcess } from './service-process.ts';

@Module({})
class StoreModule {}

/** Closed after the service. */
export const storeModule = (database: ServiceDatabase): DynamicModule => ({
  module: StoreModule,
  providers: [
    {
      provide: getConnectionToken(),
      inject: [ServiceProcess],
      useFactory: (process: ServiceProcess<'MONGO_URL'>) => process.connection(database),
    },
  ],
  exports: [getConnectionToken()],
});
