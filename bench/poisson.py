"""Is a series of send times Poisson? The dispersion test: counts of equal bins vary as much as their mean."""
import math
import statistics


def counts_of(times_s, bin_s, begin_s, end_s):
    """Of the whole bins between `begin_s` and `end_s`."""
    bins = int((end_s - begin_s) / bin_s + 1e-9)
    counts = [0] * bins
    for time in times_s:
        index = int((time - begin_s) / bin_s)
        if 0 <= index < bins:
            counts[index] += 1
    return counts


def dispersion(counts):
    """(index, two-sided p): variance / mean, and how likely one so far from 1 is. Under Poisson (n - 1) x index is
    chi-squared with n - 1 degrees of freedom; taken as normal by Wilson and Hilferty's cube root (1931)."""
    index = statistics.variance(counts) / statistics.mean(counts)
    k = len(counts) - 1
    z = (index ** (1 / 3) - (1 - 2 / (9 * k))) / math.sqrt(2 / (9 * k))
    return index, math.erfc(abs(z) / math.sqrt(2))
