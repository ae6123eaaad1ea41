import { type DynamicModule, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { ServiceDatabase } from '@tidings/runtime';
import { ServiceProcess } from './service-process.ts';

@Module({})
class StoreModule {}

/**
 * Provides the mongoose connection to a service's database, where `InjectConnection` and `MongooseModule.forFeature` of @nestjs/mongoose look for it.
 * The process connects and closes it: it waits for MongoDB, watches it, and ends it after the service (docs/adr/0029-mongoose-schemas.md).
 */
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
