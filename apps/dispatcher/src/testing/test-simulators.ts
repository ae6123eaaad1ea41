// The stand-ins are a program of their own; specs of channels run against them all the same.
// eslint-disable-next-line @nx/enforce-module-boundaries -- only specs import this file
export * from '@tidings/simulators';
