if [ -z "${CLPROBE_ENV_FOLDER+set}" ]; then if [ -n "${OCL_ICD_VENDORS+set}" ]; then export CLPROBE_ENV_VENDORS="$OCL_ICD_VENDORS"; else unset CLPROBE_ENV_VENDORS; fi; if [ -n "${OCL_ICD_FILENAMES+set}" ]; then export CLPROBE_ENV_FILENAMES="$OCL_ICD_FILENAMES"; else unset CLPROBE_ENV_FILENAMES; fi; fi
export CLPROBE_ENV_FOLDER=@parent/clprobe/env-$$
rm -rf -- "$CLPROBE_ENV_FOLDER"
mkdir -p -m 700 -- "$CLPROBE_ENV_FOLDER"
printf '%s\n' @library >| "$CLPROBE_ENV_FOLDER"/@file_name
export OCL_ICD_VENDORS="$CLPROBE_ENV_FOLDER"
unset OCL_ICD_FILENAMES
