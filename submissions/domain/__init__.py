"""The pure core: functions from frozen values to frozen values, without Django, clock or network.

The only files that it reads are its own tables in data/.
"""
