{{/*
The programs of docs/operations/installing.md: the app of the image, the entry below apps, the services that each calls, and the consumer groups whose lag it is scaled by.
A store is a database, links are those that begin with PUBLIC_URL, outbound are connections to providers and subscribers.
*/}}
{{- define "tidings.programs" -}}
gateway:
  app: gateway
  entry: gateway/dist/main.js
  calls: [gateway, audience-jobs, registry, scheduler, fanout, dispatcher, statistics, webhooks]
  links: true
registry: { app: registry, entry: registry/dist/main.js, store: true }
fanout: { app: registry, entry: fanout/dist/main.js, store: true, groups: [fanout.tasks, fanout.direct] }
scheduler: { app: scheduler, entry: scheduler/dist/main.js, calls: [registry], store: true, links: true, groups: [scheduler, scheduler.visits] }
dispatcher:
  app: dispatcher
  entry: dispatcher/dist/main.js
  calls: [registry]
  store: true
  outbound: true
  perChannel: true
  groups: [dispatcher.CHANNEL, dispatcher.CHANNEL.direct]
statistics: { app: statistics, entry: statistics/dist/main.js, store: true, groups: [statistics] }
audience-jobs: { app: audience-jobs, entry: audience-jobs/dist/main.js, calls: [registry], store: true }
webhooks: { app: webhooks, entry: webhooks/dist/main.js, calls: [registry, dispatcher], store: true, outbound: true, groups: [webhooks] }
{{- end -}}

{{/*
The services of each component, which is a process, and the label of its pods: by default each program is one. The three of the profile `small` differ in what
they reach: the gateway has no store, the core none but the stores, and delivery the networks outside.
*/}}
{{- define "tidings.components" -}}
{{- if eq .Values.profile "small" -}}
gateway: [gateway]
core: [registry, fanout, scheduler, audience-jobs, statistics]
delivery: [dispatcher, webhooks]
{{- else -}}
{{- range $program, $_ := include "tidings.programs" . | fromYaml }}
{{ $program }}: [{{ $program }}]
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The component that runs a service. Takes root and service. */}}
{{- define "tidings.componentOf" -}}
{{- range $component, $services := include "tidings.components" .root | fromYaml -}}
{{- if has $.service $services -}}{{- $component -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The facts of the programs of a component together, with the components that it calls. Takes root and services. */}}
{{- define "tidings.factsOf" -}}
{{- $programs := include "tidings.programs" .root | fromYaml -}}
{{- $facts := dict "services" .services "calls" list "callees" list -}}
{{- range .services -}}
{{- $own := index $programs . -}}
{{- range $key := list "store" "links" "outbound" "perChannel" -}}
{{- if index $own $key -}}{{- $_ := set $facts $key true -}}{{- end -}}
{{- end -}}
{{- range $own.calls -}}
{{- $_ := set $facts "calls" (append $facts.calls . | uniq) -}}
{{- $callee := include "tidings.componentOf" (dict "root" $.root "service" .) -}}
{{- $_ := set $facts "callees" (append $facts.callees $callee | uniq) -}}
{{- end -}}
{{- end -}}
{{- toYaml $facts -}}
{{- end -}}

{{/*
One workload for each component, and for each enabled channel where a component is the dispatcher alone: a list of program, which is the component, channel, channels, name,
settings, groups, the entry of the program and its app, and the facts of the component.
*/}}
{{- define "tidings.workloads" -}}
{{- $root := . -}}
{{- $programs := include "tidings.programs" . | fromYaml -}}
{{- $enabled := list -}}
{{- range $channel, $settings := .Values.channels -}}
{{- if $settings.enabled -}}{{- $enabled = append $enabled $channel -}}{{- end -}}
{{- end -}}
{{- $workloads := list -}}
{{- range $component, $services := include "tidings.components" . | fromYaml -}}
{{- $alone := eq (toString $root.Values.profile) "full" -}}
{{- if and (not $alone) (not $enabled) -}}{{- $services = without $services "dispatcher" -}}{{- end -}}
{{- $facts := include "tidings.factsOf" (dict "root" $root "services" $services) | fromYaml -}}
{{- $divided := list (list) -}}
{{- if $facts.perChannel -}}
{{- $divided = list $enabled -}}
{{- if $alone -}}
{{- $divided = list -}}
{{- range $enabled -}}{{- $divided = append $divided (list .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range $channels := $divided -}}
{{- $own := deepCopy (dig $component dict $root.Values.programs) -}}
{{- $settings := mergeOverwrite (deepCopy $root.Values.defaults) $own -}}
{{- $groups := list -}}
{{- range $service := $services -}}
{{- $program := index $programs $service -}}
{{- range $group := $program.groups -}}
{{- if $program.perChannel -}}
{{- range $channels -}}{{- $groups = append $groups (replace "CHANNEL" . $group) -}}{{- end -}}
{{- else -}}
{{- $groups = append $groups $group -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $name := printf "%s-%s" (include "tidings.fullname" $root) $component -}}
{{- $links := or $facts.links (has "email" $channels) -}}
{{- $channel := "" -}}
{{- $program := dict "app" "platform" "entry" "platform/dist/main.js" -}}
{{- if $alone -}}
{{- $program = pick (index $programs $component) "app" "entry" -}}
{{- end -}}
{{- if and $alone $facts.perChannel -}}
{{- $channel = first $channels -}}
{{- $name = printf "%s-%s" $name $channel -}}
{{- $settings = mergeOverwrite $settings (omit (index $root.Values.channels $channel) "enabled" | deepCopy) -}}
{{- end -}}
{{- $more := dict "program" $component "channel" $channel "channels" $channels "name" $name "settings" $settings "groups" $groups "links" $links "together" (not $alone) -}}
{{- $workloads = append $workloads (merge $more $program $facts) -}}
{{- end -}}
{{- end -}}
{{- toYaml $workloads -}}
{{- end -}}

{{/* Whether the program has a ScaledObject: takes root and workload. */}}
{{- define "tidings.hasScaledObject" -}}
{{- if and .root.Values.keda.enabled .workload.settings.autoscaling.enabled .workload.groups -}}true{{- end -}}
{{- end -}}
