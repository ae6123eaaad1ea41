import { Delete, Get, Inject, Patch, Post, Put, UseGuards } from '@nestjs/common';
import { ApiController } from '../http/api-controller.ts';
import type { Context } from '../context.ts';
import type { Reply } from '../envelopes/reply.ts';
import { AdministratorGuard } from '../http/administrator.guard.ts';
import { pathsOf } from '../http/families.ts';
import { InputPipe, OperatorInputPipe } from '../http/input.pipes.ts';
import { namedMethodOf, Served, type ServedRequest } from '../http/served-request.ts';
import { TokenGuard } from '../http/token.guard.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { MethodHandlers } from './method-handlers.ts';

class TokenMethods {
  readonly #handlers: MethodHandlers;

  constructor(@Inject(MethodHandlers) handlers: MethodHandlers) {
    this.#handlers = handlers;
  }

  protected answer(request: ServedRequest, input: unknown): Promise<Reply> {
    return this.#handlers.answer(namedMethodOf(request), input, request.authorized.call);
  }
}

@ApiController()
@UseGuards(TokenGuard)
export class Json13Controller extends TokenMethods {
  @Post(pathsOf('json13', 'POST'))
  call(@Served() request: ServedRequest, @Served(InputPipe) input: unknown): Promise<Reply> {
    return this.answer(request, input);
  }
}

@ApiController()
@UseGuards(TokenGuard)
export class ApiV2Controller extends TokenMethods {
  @Post([...pathsOf('apiV2', 'POST'), ...pathsOf('notify', 'POST')])
  call(@Served() request: ServedRequest, @Served(InputPipe) input: unknown): Promise<Reply> {
    return this.answer(request, input);
  }
}

@ApiController()
@UseGuards(TokenGuard)
export class AudienceController extends TokenMethods {
  @Post(pathsOf('audience', 'POST'))
  start(@Served() request: ServedRequest, @Served(InputPipe) input: unknown): Promise<Reply> {
    return this.answer(request, input);
  }

  @Get(pathsOf('audience', 'GET'))
  read(@Served() request: ServedRequest, @Served(InputPipe) input: unknown): Promise<Reply> {
    return this.answer(request, input);
  }
}

const operator = { account: '', credentials: undefined, application: undefined, idempotencyKey: '' };

@ApiController()
@UseGuards(AdministratorGuard)
export class AdminController {
  readonly #handlers: MethodHandlers;
  readonly #clients: Context['clients'];

  constructor(@Inject(MethodHandlers) handlers: MethodHandlers, @Inject(CONTEXT) { clients }: Context) {
    this.#handlers = handlers;
    this.#clients = clients;
  }

  @Get(pathsOf('admin', 'GET'))
  read(@Served() request: ServedRequest, @Served(OperatorInputPipe) input: unknown): Promise<Reply> {
    return this.#answer(request, input);
  }

  @Post(pathsOf('admin', 'POST'))
  create(@Served() request: ServedRequest, @Served(OperatorInputPipe) input: unknown): Promise<Reply> {
    return this.#answer(request, input);
  }

  @Put(pathsOf('admin', 'PUT'))
  replace(@Served() request: ServedRequest, @Served(OperatorInputPipe) input: unknown): Promise<Reply> {
    return this.#answer(request, input);
  }

  @Patch(pathsOf('admin', 'PATCH'))
  change(@Served() request: ServedRequest, @Served(OperatorInputPipe) input: unknown): Promise<Reply> {
    return this.#answer(request, input);
  }

  @Delete(pathsOf('admin', 'DELETE'))
  remove(@Served() request: ServedRequest, @Served(OperatorInputPipe) input: unknown): Promise<Reply> {
    return this.#answer(request, input);
  }

  #answer(request: ServedRequest, input: unknown): Promise<Reply> {
    const call = { ...operator, pending: request.pending, address: this.#clients.of(request.raw) };
    return this.#handlers.answer(namedMethodOf(request), input, call);
  }
}
