import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Stage } from '../simulators.ts';
import { ControlModule } from './control.module.ts';

/** @param port 0 = a free one */
export const serveControl = async (
  stage: Stage,
  host: string,
  port: number,
): Promise<{ url: string; close: () => Promise<void> }> => {
  const adapter = new FastifyAdapter({ forceCloseConnections: true });
  const app = await NestFactory.create<NestFastifyApplication>(ControlModule.over(stage), adapter, { logger: false });
  await app.listen(port, host);
  return { url: await app.getUrl(), close: () => app.close() };
};
