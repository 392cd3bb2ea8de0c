"""Names of experiments, arms and attacks that several modules need."""

from __future__ import annotations

#: Experiment with reference models -> the experiment whose figure it repeats. At scales smoke and laptop only the first
#: two are run.
STRONG = {
    "adult_cluster_strong": "adult_cluster",
    "student_strong": "student",
    "compas_cluster_strong": "compas_cluster",
    "adult_gender_strong": "adult_gender",
    "adult_education_strong": "adult_education",
    "heart_strong": "heart",
    "texas_strong": "texas",
    "census_adult_strong": "census_adult",
}

#: The arm of equal shares of two groups, which is as good as an IID arm.
EQUAL = "p50"

#: Names of attacks that need reference models on both sides of a record: their scores depend on how many hold it.
ONLINE = ("lira", "rmia")
#: Experiments of `STRONG` whose reference models hold all records alike often. In the others, as many records are drawn
#: of a small group as of a large one, so that outside IID arms the number of models alone separates members.
ALIKE = ("student_strong", "heart_strong")
