import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { servedBy } from '@tidings/rpc';
import { remoteServices, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { type DispatcherService, openDispatcher } from './dispatcher.ts';

const DISPATCHER = Symbol('dispatcher');

type DispatcherProcess = ServiceProcess<'MONGO_URL' | 'TIDINGS_CHANNEL', 'registry'>;

async function openChannels(process: DispatcherProcess, connection: Connection): Promise<DispatcherService> {
  const { channels, providers, http2, extraCa, proxy, allowPrivate, webPushSubject, mailBounceDomain } =
    process.configuration;
  const publicUrl = channels.includes('email') ? process.publicUrl() : '';
  const { platforms, devices } = remoteServices('registry', await process.peer('registry'));
  return process.open(connection, (parts) =>
    openDispatcher({
      ...parts,
      channels,
      platforms,
      devices,
      urls: providers,
      http2,
      extraCa,
      proxy,
      allowPrivate,
      publicUrl,
      webPushSubject,
      mailBounceDomain,
    }),
  );
}

@Module({
  imports: [storeModule('dispatcher')],
  providers: [{ provide: DISPATCHER, inject: [ServiceProcess, getConnectionToken()], useFactory: openChannels }],
  controllers: rpcControllers(DISPATCHER, servedBy('dispatcher')),
})
export class DispatcherModule {}
