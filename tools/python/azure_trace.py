#!/usr/bin/env python3
"""Makes docs/examples/azure-conv-2023.csv from the Azure LLM inference trace 2023.

  curl -O https://raw.githubusercontent.com/Azure/AzurePublicDataset/master/data/AzureLLMInferenceTrace_conv.csv
  tools/python/azure_trace.py AzureLLMInferenceTrace_conv.csv >docs/examples/azure-conv-2023.csv

The original's columns are TIMESTAMP (local time, 100 ns), ContextTokens, GeneratedTokens. Lengths are
divided and capped and the gaps stretched, so that a small engine on two cores can keep up.
"""
import csv
import datetime
import math
import sys

FIRST_ROW = 16_000  # 0 is the first under the header; from here the medians are near the whole file's
ROWS = 300
INPUT_DIVISOR, INPUT_CAP = 10, 400
OUTPUT_DIVISOR, OUTPUT_CAP = 6, 80
STRETCH = 20  # of every gap between arrivals


def seconds(timestamp):
    whole, fraction = timestamp.split(".")
    moment = datetime.datetime.strptime(whole, "%Y-%m-%d %H:%M:%S").replace(tzinfo=datetime.timezone.utc)
    return int(moment.timestamp()), int(fraction.ljust(7, "0"))  # 100 ns


def shorter(tokens, divisor, cap):
    return min(cap, max(1, math.floor(tokens / divisor + 0.5)))


def chosen_rows(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return rows[FIRST_ROW:FIRST_ROW + ROWS], len(rows)


def remarks(rows, of_rows):
    inputs_capped = sum(int(row["ContextTokens"]) > INPUT_DIVISOR * INPUT_CAP for row in rows)
    outputs_capped = sum(int(row["GeneratedTokens"]) > OUTPUT_DIVISOR * OUTPUT_CAP for row in rows)
    return f"""\
# Source: Azure LLM inference trace 2023, conversation, 16 November 2023, figures only:
#   https://github.com/Azure/AzurePublicDataset, data/AzureLLMInferenceTrace_conv.csv
# Licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/
# Attribution: Microsoft; P. Patel, E. Choukse, C. Zhang, A. Shah, I. Goiri, S. Maleki, R. Bianchini,
#   "Splitwise: Efficient generative LLM inference using phase splitting", ISCA 2024.
# Changed, by tools/python/azure_trace.py: rows {FIRST_ROW + 1:,} to {FIRST_ROW + ROWS:,} of {of_rows:,}; input tokens divided by
#   {INPUT_DIVISOR} and capped at {INPUT_CAP} ({inputs_capped} rows), output tokens divided by {OUTPUT_DIVISOR} and capped at {OUTPUT_CAP} ({outputs_capped} rows), each
#   rounded, at least 1; the first arrival set to 0 and every gap made {STRETCH} times as long, so that the
#   pattern of arrivals is kept."""


def main():
    if len(sys.argv) != 2:
        print("error: azure_trace.py: expects one path, AzureLLMInferenceTrace_conv.csv", file=sys.stderr)
        return 2
    rows, of_rows = chosen_rows(sys.argv[1])
    print(remarks(rows, of_rows))
    print("arrival_s,input_tokens,output_tokens")
    start = seconds(rows[0]["TIMESTAMP"])
    for row in rows:
        at = seconds(row["TIMESTAMP"])
        ticks = (at[0] - start[0]) * 10**7 + at[1] - start[1]
        print(f"{ticks * STRETCH / 10**7:.3f},"
              f"{shorter(int(row['ContextTokens']), INPUT_DIVISOR, INPUT_CAP)},"
              f"{shorter(int(row['GeneratedTokens']), OUTPUT_DIVISOR, OUTPUT_CAP)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
