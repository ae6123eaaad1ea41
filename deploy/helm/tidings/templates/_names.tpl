{{/* Names and labels. */}}
{{- define "tidings.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tidings.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tidings.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The tag of an image: takes root and tag, which is that of a program, or absent. */}}
{{- define "tidings.tag" -}}
{{- default .root.Chart.AppVersion (default .root.Values.image.tag .tag) -}}
{{- end -}}

{{/* Labels that every object of the release shares. Takes root and tag. */}}
{{- define "tidings.commonLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ include "tidings.tag" . | trunc 63 | quote }}
app.kubernetes.io/part-of: tidings
{{- end -}}

{{/* Labels that select the pods of a program: of all its channels, unless a channel is given. Takes root, program and channel. */}}
{{- define "tidings.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .program }}
{{- with .channel }}
tidings-channel: {{ . }}
{{- end }}
{{- end -}}

{{/* Labels of an object: takes what tidings.selector and tidings.commonLabels take. */}}
{{- define "tidings.labels" -}}
{{ include "tidings.selector" . }}
{{ include "tidings.commonLabels" . }}
{{- end -}}

{{/* The image of an app: takes root, app and tag. */}}
{{- define "tidings.image" -}}
{{- $image := .root.Values.image -}}
{{- with $image.registry }}{{ . }}/{{ end -}}
{{- with $image.prefix }}{{ . }}/{{ end -}}
{{ .app }}:{{ include "tidings.tag" . }}
{{- end -}}
