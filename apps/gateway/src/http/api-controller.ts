import { applyDecorators, Controller, UseFilters, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FaultFilter } from './fault.filter.ts';
import { ReplyInterceptor } from './reply.interceptor.ts';
import { API } from './served-request.ts';

const markRoutes: ClassDecorator = (controller) => {
  const prototype = controller.prototype as object;
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name !== 'constructor' && typeof descriptor.value === 'function') RouteConfig(API)(prototype, name, descriptor);
  }
};

export const ApiController = (path = ''): ClassDecorator =>
  applyDecorators(Controller(path), UseFilters(FaultFilter), UseInterceptors(ReplyInterceptor), markRoutes);
