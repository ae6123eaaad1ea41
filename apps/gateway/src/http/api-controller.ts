import { applyDecorators, Controller, UseFilters, UseInterceptors } from '@nestjs/common';
import { FaultFilter } from './fault.filter.ts';
import { ReplyInterceptor } from './reply.interceptor.ts';

export const ApiController = (path = ''): ClassDecorator =>
  applyDecorators(Controller(path), UseFilters(FaultFilter), UseInterceptors(ReplyInterceptor));
